package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger gives a scheduled tick once, and accounts for those before it. */
@Timeout(60)
public abstract class LedgerClaimContract extends LedgerContract {

  /** For backends. */
  protected LedgerClaimContract() {}

  @Test
  void claimMovesTheCursorAndOpensARun() {
    TickClaim request = request(a, 1);
    TickClaimReply reply = claim(request);
    assertThat(reply.kind()).isEqualTo(Kind.CLAIMED);
    assertThat(reply.attempt()).isEqualTo(1);
    assertThat(reply.state()).isEqualTo(state());
    assertThat(state().cursor()).isEqualTo(minute(1));
    assertThat(state().open()).isEqualTo(1);
    TickRecord row = row(tick(1));
    assertThat(row.status()).isEqualTo(Status.RUNNING);
    assertThat(row.claim()).isEqualTo(request.claim().shown());
    assertThat(row.attempt()).isEqualTo(1);
    assertThat(row.count()).isEqualTo(1);
    assertThat(row.last()).isEqualTo(minute(1));
    assertThat(row.outcome()).isNull();
    assertThat(row.fence()).isNull();
  }

  @Test
  void secondClaimOfATickFindsThatTheStateMoved() {
    TickClaim first = request(a, 1);
    TickClaim second = request(b, 1);
    claimed(first);
    TickClaimReply reply = claim(second);
    assertThat(reply.kind()).isEqualTo(Kind.MOVED);
    assertThat(reply.attempt()).isZero();
    assertThat(reply.state()).isEqualTo(state());
    assertThat(row(tick(1)).claim()).isEqualTo(first.claim().shown());
  }

  @Test
  void oneOfAHundredRacingClaimsIsGranted() {
    SeriesState seen = state();
    List<Kind> kinds =
        Race.run(
            100,
            i ->
                claim(
                        new TickClaim(
                            newClaim(i % 2 == 0 ? a : b),
                            tick(1),
                            seen,
                            List.of(),
                            OverlapRule.ALLOW,
                            Effect.AT_MOST_ONCE,
                            null))
                    .kind());
    assertThat(kinds).filteredOn(Kind.CLAIMED::equals).hasSize(1);
    assertThat(kinds).filteredOn(Kind.MOVED::equals).hasSize(99);
    assertThat(state().open()).isEqualTo(1);
    assertThat(history()).hasSize(1);
  }

  @Test
  void everyTickOfARaceIsClaimedByOneReplica() {
    int ticks = 50;
    List<List<Instant>> byRunner =
        Race.run(
            4,
            i -> {
              List<Instant> mine = new ArrayList<>();
              SeriesState seen = state();
              while (seen.cursor().isBefore(minute(ticks))) {
                Instant next = seen.cursor().plusSeconds(60);
                TickClaimReply reply =
                    claim(
                        new TickClaim(
                            newClaim(a),
                            TickId.scheduled(TASK, next),
                            seen,
                            List.of(),
                            OverlapRule.ALLOW,
                            Effect.AT_MOST_ONCE,
                            null));
                if (reply.kind() == Kind.CLAIMED) {
                  mine.add(next);
                }
                seen = reply.state();
              }
              return mine;
            });
    List<Instant> all = byRunner.stream().flatMap(List::stream).toList();
    assertThat(all).hasSize(ticks).doesNotHaveDuplicates();
    assertThat(new TreeSet<>(all).last()).isEqualTo(minute(ticks));
  }

  @Test
  void claimThatIsSentAgainIsGrantedAgain() {
    TickClaim request = request(a, 1);
    TickClaimReply first = claim(request);
    assertThat(claim(request)).isEqualTo(first);
    assertThat(state().open()).isEqualTo(1);
    assertThat(history()).hasSize(1);
  }

  @Test
  void claimThatIsSentAgainIsGrantedThoughTheTaskWasPausedAndTheFenceIsStaleByThen() {
    Fence fence = ledger().mintFence(GROUP, a);
    TickClaim request = as(fence, request(a, 1));
    claimed(request);
    ledger().pause(TASK, BY_HAND);
    ledger().mintFence(GROUP, b);
    assertThat(claim(request).kind()).isEqualTo(Kind.CLAIMED);
  }

  @Test
  void claimThatEndedIsNotGrantedAgain() {
    TickClaim request = request(a, 1);
    claimed(request);
    finish(request.claim(), tick(1), Outcome.SUCCEEDED, 1);
    assertThat(claim(request).kind()).isEqualTo(Kind.MOVED);
    assertThat(row(tick(1)).status()).isEqualTo(Status.ENDED);
  }

  @Test
  void claimThatWasGivenBackIsNotGrantedAgain() {
    TickClaim request = request(a, 1);
    claimed(request);
    giveBack(request.claim(), tick(1));
    assertThat(claim(request).kind()).isEqualTo(Kind.MOVED);
    assertThat(row(tick(1)).status()).isEqualTo(Status.WAITING);
  }

  @Test
  void claimOnOtherFailuresThanSeenIsRefused() {
    TickClaim first = request(a, 1);
    claimed(first);
    TickClaim second = request(b, 2, OverlapRule.ALLOW);
    finish(first.claim(), tick(1), Outcome.FAILED, 1);
    assertThat(claim(second).kind()).isEqualTo(Kind.MOVED);
    assertThat(state().cursor()).isEqualTo(minute(1));
  }

  @Test
  void cursorNeverGoesBack() {
    claimed(a, 5);
    assertThat(claim(request(b, 4, OverlapRule.ALLOW)).kind()).isEqualTo(Kind.MOVED);
    assertThat(claim(request(b, 5, OverlapRule.ALLOW)).kind()).isEqualTo(Kind.MOVED);
    assertThat(
            account(
                    new TickAccount(
                        state(), List.of(TickRecord.Range.missed(minute(2), minute(3), 2)), null))
                .kind())
        .isEqualTo(Kind.MOVED);
    assertThat(state().cursor()).isEqualTo(minute(5));
    assertThat(history()).hasSize(1);
  }

  @Test
  void gapsBeforeATickAreRecordedWithTheirCounts() {
    TickRecord.Range missed = TickRecord.Range.missed(minute(1), minute(7), 7);
    TickRecord.Range skipped =
        TickRecord.Range.skipped(minute(8), minute(9), 2, SkipReason.BACKOFF);
    claimed(request(a, 10, OverlapRule.SKIP, Effect.AT_MOST_ONCE, missed, skipped));
    assertThat(history()).extracting(TickRecord::tick).containsExactly(tick(10), tick(8), tick(1));
    assertThat(history()).extracting(TickRecord::count).containsExactly(1L, 2L, 7L);
    TickRecord first = row(tick(1));
    assertThat(first.last()).isEqualTo(minute(7));
    assertThat(first.status()).isEqualTo(Status.ENDED);
    assertThat(first.outcome()).isEqualTo(Outcome.MISSED);
    assertThat(first.reason()).isNull();
    assertThat(first.claim()).isNull();
    assertThat(first.attempt()).isZero();
    assertThat(first.endedAt()).isNotNull();
    assertThat(row(tick(8)).outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(row(tick(8)).reason()).isEqualTo(SkipReason.BACKOFF);
    assertThat(state().cursor()).isEqualTo(minute(10));
  }

  @Test
  void refusedClaimRecordsNoGaps() {
    TickClaim late =
        request(
            b,
            10,
            OverlapRule.SKIP,
            Effect.AT_MOST_ONCE,
            TickRecord.Range.missed(minute(1), minute(9), 9));
    claimed(a, 1);
    assertThat(claim(late).kind()).isEqualTo(Kind.MOVED);
    assertThat(history()).hasSize(1);
  }

  @Test
  void gapsAreAccountedForWithoutATick() {
    TickAccount request =
        new TickAccount(state(), List.of(TickRecord.Range.missed(minute(1), minute(3), 3)), null);
    TickClaimReply reply = account(request);
    assertThat(reply.kind()).isEqualTo(Kind.CLAIMED);
    assertThat(reply.state().cursor()).isEqualTo(minute(3));
    assertThat(reply.state().open()).isZero();
    assertThat(account(request).kind()).as("sent again").isEqualTo(Kind.MOVED);
    assertThat(history()).extracting(TickRecord::count).containsExactly(3L);
  }

  @Test
  void gapsOfAPausedTaskAreLeftToItsResumption() {
    SeriesState seen = ledger().pause(TASK, BY_HAND);
    TickAccount request =
        new TickAccount(seen, List.of(TickRecord.Range.missed(minute(1), minute(3), 3)), null);
    assertThat(account(request).kind()).isEqualTo(Kind.PAUSED);
    assertThat(state().cursor()).isEqualTo(minute(0));
  }

  @Test
  void fencesGrowAndOnlyTheNewestIsAccepted() {
    Fence old = ledger().mintFence(GROUP, a);
    TickClaim stale = as(old, request(a, 1));
    Fence fresh = ledger().mintFence(GROUP, b);
    assertThat(fresh.isNewerThan(old)).isTrue();
    assertThat(claim(stale).kind()).isEqualTo(Kind.FENCED);
    assertThat(
            account(
                    new TickAccount(
                        state(),
                        List.of(TickRecord.Range.missed(minute(1), minute(3), 3)),
                        new LeaderProof(GROUP, old)))
                .kind())
        .isEqualTo(Kind.FENCED);
    assertThat(history()).isEmpty();
    assertThat(state().cursor()).isEqualTo(minute(0));
    assertThat(claim(as(fresh, request(b, 1))).kind()).isEqualTo(Kind.CLAIMED);
    assertThat(row(tick(1)).fence()).isEqualTo(fresh);
  }

  @Test
  void noWriteUnderAnOldFenceFollowsANewOne() {
    Fence old = ledger().mintFence(GROUP, a);
    for (int round = 0; round < 20; round++) {
      Fence fence = old;
      List<SeriesState> seen =
          Race.run(
              2,
              i -> {
                if (i == 0) {
                  ledger().mintFence(GROUP, b);
                  return state();
                }
                TickClaimReply reply;
                do {
                  int next = 1 + (int) Duration.between(minute(0), state().cursor()).toMinutes();
                  reply = claim(as(fence, request(a, next, OverlapRule.ALLOW)));
                } while (reply.kind() != Kind.FENCED);
                return reply.state();
              });
      assertThat(state().cursor()).isEqualTo(seen.get(0).cursor());
      old = ledger().mintFence(GROUP, a);
    }
  }

  @Test
  void fenceOfAGroupSaysNothingAboutAnother() {
    Fence fence = ledger().mintFence(GROUP, a);
    ledger().mintFence("other", b);
    ledger().mintFence("other", b);
    assertThat(claim(as(fence, request(a, 1))).kind()).isEqualTo(Kind.CLAIMED);
  }

  @Test
  void fenceThatWasNeverMintedIsRefused() {
    Fence fence = ledger().mintFence(GROUP, a);
    Fence invented = new Fence(fence.timeline(), fence.epoch() + 1);
    assertThat(claim(as(invented, request(a, 1))).kind()).isEqualTo(Kind.FENCED);
  }

  @Test
  void fencesThatAreMintedAtTheSameTimeAllDiffer() {
    Set<Fence> fences = new TreeSet<>(Race.run(20, i -> ledger().mintFence(GROUP, a)));
    assertThat(fences).hasSize(20);
  }

  @Test
  void pausedTaskIsNotClaimed() {
    TickClaim request = request(a, 1);
    ledger().pause(TASK, BY_HAND);
    TickClaimReply reply = claim(request);
    assertThat(reply.kind()).isEqualTo(Kind.PAUSED);
    assertThat(reply.state().pause()).isEqualTo(BY_HAND);
    assertThat(history()).isEmpty();
  }

  @Test
  void refusedRequestDoesNotHoldUpTheOthers() {
    register("other");
    TickClaim fenced = as(new Fence(9, 9), request(a, 1));
    TickClaim good = request(a, 2);
    TickClaim moved = request(b, 3);
    assertThat(ledger().claim(List.of(fenced, good, moved)))
        .extracting(TickClaimReply::kind)
        .containsExactly(Kind.FENCED, Kind.CLAIMED, Kind.MOVED);
    assertThat(ledger().claim(List.of())).isEmpty();
    assertThat(ledger().states(List.of("other")).get(0).open()).isZero();
  }

  private TickClaimReply account(TickAccount request) {
    return ledger().account(List.of(request)).get(0);
  }
}
