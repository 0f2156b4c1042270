package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply.Kind;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.OnOverlap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TickRecord;
import dev.monotick.ledger.TickRecord.Status;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
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
  void tickOfALiveReplicaIsLeftAlone() {
    claimed(request(a, 1, OnOverlap.SKIP, Effect.AT_LEAST_ONCE));
    assertThat(rescue(b)).isEqualTo(new Rescue(List.of(), List.of(), List.of(), List.of()));
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void replicaIsToldWhatTheLedgerTakesForRunningThere() {
    ClaimId claim = claimed(a, 1);
    assertThat(rescue(a).held()).containsExactly(new Rescue.Held(claim, tick(1)));
    assertThat(rescue(b).held()).isEmpty();
  }

  @Test
  void tickThatRunsAtMostOnceIsSettledAsUnknown() {
    ClaimId claim = claimed(a, 1);
    loseAllBut(b);
    Rescue rescue = rescue(b);
    assertThat(rescue.waiting()).isEmpty();
    assertThat(rescue.settled()).containsExactly(row(tick(1)));
    TickRecord row = row(tick(1));
    assertThat(row.status()).isEqualTo(Status.ENDED);
    assertThat(row.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(row.claim()).isEqualTo(claim);
    assertThat(row.endedAt()).isNotNull();
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isZero();
    assertThat(state().lastEndedAt()).isNotNull();
    assertThat(rescue(b).settled()).as("told once").isEmpty();
  }

  @Test
  void tickThatIsSettledIsToldToOneOfManyRacingRescuers() {
    claimed(a, 1);
    loseAllBut(b, c);
    List<Rescue> rescues = Race.run(20, i -> rescue(i % 2 == 0 ? b : c));
    assertThat(rescues).flatExtracting(Rescue::settled).hasSize(1);
  }

  @Test
  void tickThatRunsAtLeastOnceWaitsAgainUntilItsThirdReplicaIsGone() {
    ClaimRequest first = request(a, 1, OnOverlap.SKIP, Effect.AT_LEAST_ONCE);
    claimed(first);
    for (int attempt = 2; attempt <= 3; attempt++) {
      loseAllBut(c);
      Rescue rescue = rescue(c);
      assertThat(rescue.settled()).isEmpty();
      assertThat(rescue.waiting()).containsExactly(tick(1));
      assertThat(state().open()).isZero();
      ReplicaId next = ReplicaId.random();
      join(next);
      taken(next, tick(1));
      assertThat(row(tick(1)).attempt()).isEqualTo(attempt);
    }
    loseAllBut(c);
    Rescue rescue = rescue(c);
    assertThat(rescue.waiting()).isEmpty();
    assertThat(rescue.settled()).extracting(TickRecord::outcome).containsExactly(Outcome.UNKNOWN);
    assertThat(row(tick(1)).attempt()).isEqualTo(3);
  }

  @Test
  void zombieCanChangeNothingOnceItsTickWaitsAgain() {
    ClaimRequest request = request(a, 1, OnOverlap.SKIP, Effect.AT_LEAST_ONCE);
    claimed(request);
    loseAllBut(b);
    rescue(b);
    assertThat(claim(request).kind()).as("claim sent again").isEqualTo(Kind.MOVED);
    assertThat(finish(request.claim(), tick(1), Outcome.SUCCEEDED, 2).recorded()).isFalse();
    ClaimId second = taken(b, tick(1));
    assertThat(finish(request.claim(), tick(1), Outcome.FAILED, 2).recorded()).isFalse();
    assertThat(giveBack(request.claim(), tick(1)).recorded()).isFalse();
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
    assertThat(row(tick(1)).claim()).isEqualTo(second);
    assertThat(state().failures()).isZero();
    assertThat(finish(second, tick(1), Outcome.SUCCEEDED, 3).recorded()).isTrue();
  }

  @Test
  void zombieCanChangeNothingOnceItsTickIsSettled() {
    ClaimId claim = claimed(a, 1);
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
    ClaimId claim = claimed(a, 1);
    loseAllBut(b);
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isTrue();
    assertThat(rescue(b).settled()).isEmpty();
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void processThatJoinsAgainMayReportItsTickForAWhile() {
    ClaimId claim = claimed(a, 1);
    ClaimId left = claimed(request(a, 2, OnOverlap.ALLOW));
    rejoin(a);
    assertThat(rescue(b).settled()).as("its process lives").isEmpty();
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isTrue();
    endRejoinGrace();
    ReplicaId other = ReplicaId.random();
    join(other);
    assertThat(rescue(other).settled())
        .extracting(TickRecord::outcome)
        .containsExactly(Outcome.UNKNOWN);
    assertThat(finish(left, tick(2), Outcome.SUCCEEDED, 3).recorded()).isFalse();
  }

  @Test
  void tickOfAReplicaThatLeftIsSeenToAtOnce() {
    claimed(request(a, 1, OnOverlap.SKIP, Effect.AT_LEAST_ONCE));
    replicas().leave(a);
    assertThat(rescue(b).waiting()).containsExactly(tick(1));
  }

  @Test
  void bodyThatStillRanOnAReplicaThatIsGoneOccupiesNoMore() {
    ClaimId claim = claimed(a, 1);
    finish(ended(claim, tick(1), Outcome.TIMED_OUT, 2, false));
    claim(request(b, 2, OnOverlap.QUEUE_ONE));
    loseAllBut(b);
    Rescue rescue = rescue(b);
    assertThat(rescue.settled()).as("it had its outcome").isEmpty();
    assertThat(rescue.waiting()).containsExactly(tick(2));
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isEqualTo(1);
  }

  @Test
  void tickQueuedBehindAnOrphanMayBeTaken() {
    claimed(a, 1);
    claim(request(b, 2, OnOverlap.QUEUE_ONE));
    loseAllBut(b);
    Rescue rescue = rescue(b);
    assertThat(rescue.settled()).hasSize(1);
    assertThat(rescue.waiting()).containsExactly(tick(2));
  }

  @Test
  void tasksThatTheCallerDoesNotKnowAreLeftAlone() {
    claimed(a, 1);
    loseAllBut(b);
    assertThat(ledger().rescue(b, Set.of("other"))).isEqualTo(ledger().rescue(b, Set.of()));
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void rescueRacingWithTheReportLeavesOneOutcome() {
    for (int minute = 1; minute <= 20; minute++) {
      int now = minute;
      ReplicaId dying = ReplicaId.random();
      join(dying);
      ClaimId claim = claimed(dying, now);
      replicas().leave(dying);
      List<Boolean> won =
          Race.run(
              2,
              i ->
                  i == 0
                      ? finish(claim, tick(now), Outcome.SUCCEEDED, now).recorded()
                      : !rescue(b).settled().isEmpty());
      assertThat(won).containsExactlyInAnyOrder(true, false);
      assertThat(row(tick(now)).outcome())
          .isEqualTo(won.get(0) ? Outcome.SUCCEEDED : Outcome.UNKNOWN);
    }
  }
}
