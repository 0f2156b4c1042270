package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger sees to the ticks of replicas that are gone, and believes none of them after. */
@Timeout(120)
public abstract class LedgerRescueContract extends LedgerContract {

  /** For backends. */
  protected LedgerRescueContract() {}

  @Test
  void tickOfALiveReplicaIsNotRescued() {
    claimed(request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE));
    assertThat(rescue(b)).isEqualTo(new TickRescue(List.of(), List.of(), List.of(), List.of()));
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void rescueReturnsWhatTheLedgerTakesForRunningThere() {
    TickClaimId claim = claimed(a, 1);
    assertThat(rescue(a).held()).containsExactly(new TickRescue.Held(claim, tick(1)));
    assertThat(rescue(b).held()).isEmpty();
  }

  @Test
  void tickThatRunsAtMostOnceEndsAsUnknown() {
    TickClaimId claim = claimed(a, 1);
    loseAllBut(b);
    TickRescue rescue = rescue(b);
    assertThat(rescue.waiting()).isEmpty();
    assertThat(rescue.unknown()).containsExactly(row(tick(1)));
    TickRecord row = row(tick(1));
    assertThat(row.status()).isEqualTo(Status.ENDED);
    assertThat(row.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(row.claim()).isEqualTo(claim.shown());
    assertThat(row.endedAt()).isNotNull();
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isZero();
    assertThat(state().lastEndedAt()).isNotNull();
    assertThat(rescue(b).unknown()).as("told once").isEmpty();
  }

  @Test
  void rescuedTickIsReturnedToOneOfManyRacingRescuers() {
    claimed(a, 1);
    loseAllBut(b, c);
    List<TickRescue> rescues = Race.run(20, i -> rescue(i % 2 == 0 ? b : c));
    assertThat(rescues).flatExtracting(TickRescue::unknown).hasSize(1);
  }

  @Test
  void tickThatRunsAtLeastOnceWaitsAgainUntilItsThirdReplicaIsGone() {
    TickClaim first = request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE);
    claimed(first);
    for (int attempt = 2; attempt <= 3; attempt++) {
      loseAllBut(c);
      TickRescue rescue = rescue(c);
      assertThat(rescue.unknown()).isEmpty();
      assertThat(rescue.waiting()).containsExactly(tick(1));
      assertThat(state().open()).isZero();
      MemberId next = MemberId.random();
      join(next);
      taken(next, tick(1));
      assertThat(row(tick(1)).attempt()).isEqualTo(attempt);
    }
    loseAllBut(c);
    TickRescue rescue = rescue(c);
    assertThat(rescue.waiting()).isEmpty();
    assertThat(rescue.unknown()).extracting(TickRecord::outcome).containsExactly(Outcome.UNKNOWN);
    assertThat(row(tick(1)).attempt()).isEqualTo(3);
  }

  @Test
  void zombieCanChangeNothingOnceItsTickWaitsAgain() {
    TickClaim request = request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE);
    claimed(request);
    loseAllBut(b);
    rescue(b);
    assertThat(claim(request).kind()).as("claim sent again").isEqualTo(Kind.MOVED);
    assertThat(finish(request.claim(), tick(1), Outcome.SUCCEEDED, 2).recorded()).isFalse();
    TickClaimId second = taken(b, tick(1));
    assertThat(finish(request.claim(), tick(1), Outcome.FAILED, 2).recorded()).isFalse();
    assertThat(giveBack(request.claim(), tick(1)).recorded()).isFalse();
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
    assertThat(row(tick(1)).claim()).isEqualTo(second.shown());
    assertThat(state().failures()).isZero();
    assertThat(finish(second, tick(1), Outcome.SUCCEEDED, 3).recorded()).isTrue();
  }

  @Test
  void zombieCanChangeNothingOnceItsTickHasEnded() {
    TickClaimId claim = claimed(a, 1);
    loseAllBut(b);
    rescue(b);
    rejoin(a); // back, but the tick is not its own any more
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isFalse();
    assertThat(giveBack(claim, tick(1)).recorded()).isFalse();
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(state().lastSuccessAt()).isNull();
  }

  @Test
  void reportOfAReplicaThatIsGoneCountsUntilSomebodySeesToItsTick() {
    TickClaimId claim = claimed(a, 1);
    loseAllBut(b);
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isTrue();
    assertThat(rescue(b).unknown()).isEmpty();
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void processThatJoinsAgainMayReportItsTickForAWhile() {
    TickClaimId claim = claimed(a, 1);
    TickClaimId left = claimed(request(a, 2, OverlapRule.ALLOW));
    rejoin(a);
    assertThat(rescue(b).unknown()).as("its process lives").isEmpty();
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isTrue();
    endRejoinGrace();
    MemberId other = MemberId.random();
    join(other);
    assertThat(rescue(other).unknown())
        .extracting(TickRecord::outcome)
        .containsExactly(Outcome.UNKNOWN);
    assertThat(finish(left, tick(2), Outcome.SUCCEEDED, 3).recorded()).isFalse();
  }

  @Test
  void tickOfAReplicaThatLeftIsSeenToAtOnce() {
    claimed(request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE));
    replicas().leave(a);
    assertThat(rescue(b).waiting()).containsExactly(tick(1));
  }

  @Test
  void bodyThatStillRanOnAReplicaThatIsGoneOccupiesNoMore() {
    TickClaimId claim = claimed(a, 1);
    finish(ended(claim, tick(1), Outcome.TIMED_OUT, 2, false));
    claim(request(b, 2, OverlapRule.QUEUE_ONE));
    loseAllBut(b);
    TickRescue rescue = rescue(b);
    assertThat(rescue.unknown()).as("it had its outcome").isEmpty();
    assertThat(rescue.waiting()).containsExactly(tick(2));
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isEqualTo(1);
  }

  @Test
  void tickQueuedBehindAnOrphanMayBeTaken() {
    claimed(a, 1);
    claim(request(b, 2, OverlapRule.QUEUE_ONE));
    loseAllBut(b);
    TickRescue rescue = rescue(b);
    assertThat(rescue.unknown()).hasSize(1);
    assertThat(rescue.waiting()).containsExactly(tick(2));
  }

  @Test
  void tasksThatTheCallerDoesNotKnowAreNotRescued() {
    claimed(a, 1);
    loseAllBut(b);
    assertThat(ledger().rescue(b, Set.of("other"))).isEqualTo(ledger().rescue(b, Set.of()));
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void rescueRacingWithTheReportLeavesOneOutcome() {
    for (int minute = 1; minute <= 20; minute++) {
      int now = minute;
      MemberId dying = MemberId.random();
      join(dying);
      TickClaimId claim = claimed(dying, now);
      replicas().leave(dying);
      List<Boolean> won =
          Race.run(
              2,
              i ->
                  i == 0
                      ? finish(claim, tick(now), Outcome.SUCCEEDED, now).recorded()
                      : !rescue(b).unknown().isEmpty());
      assertThat(won).containsExactlyInAnyOrder(true, false);
      assertThat(row(tick(now)).outcome())
          .isEqualTo(won.get(0) ? Outcome.SUCCEEDED : Outcome.UNKNOWN);
    }
  }
}
