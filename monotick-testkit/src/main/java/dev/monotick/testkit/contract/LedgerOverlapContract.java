package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger knows what to do with a tick whose task has a run that has not ended. */
@Timeout(60)
public abstract class LedgerOverlapContract extends LedgerContract {

  /** For backends. */
  protected LedgerOverlapContract() {}

  @Test
  void tickIsClaimedWhateverThePolicyIfNothingRuns() {
    int minute = 0;
    for (OverlapRule policy : OverlapRule.values()) {
      minute++;
      TickClaimId claim = claimed(request(a, minute, policy));
      finish(claim, tick(minute), Outcome.SUCCEEDED, minute);
    }
    assertThat(state().open()).isZero();
    assertThat(history()).hasSize(OverlapRule.values().length);
  }

  @Test
  void skipRecordsTheTickAndWhatCameBeforeIt() {
    claimed(a, 1);
    TickClaimReply reply =
        claim(
            request(
                b,
                4,
                OverlapRule.SKIP,
                Effect.AT_MOST_ONCE,
                TickRecord.Range.missed(minute(2), minute(3), 2)));
    assertThat(reply.kind()).isEqualTo(Kind.SKIPPED);
    assertThat(reply.attempt()).isZero();
    assertThat(reply.state().cursor()).isEqualTo(minute(4));
    assertThat(reply.state().open()).isEqualTo(1);
    assertThat(row(tick(4)).status()).isEqualTo(Status.ENDED);
    assertThat(row(tick(4)).outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(row(tick(4)).reason()).isEqualTo(SkipReason.OVERLAP);
    assertThat(row(tick(4)).claim()).isNull();
    assertThat(row(tick(2)).count()).isEqualTo(2);
  }

  @Test
  void waitDoesNothing() {
    claimed(a, 1);
    TickClaimReply reply =
        claim(
            request(
                b,
                4,
                OverlapRule.WAIT,
                Effect.AT_MOST_ONCE,
                TickRecord.Range.missed(minute(2), minute(3), 2)));
    assertThat(reply.kind()).isEqualTo(Kind.BUSY);
    assertThat(state().cursor()).isEqualTo(minute(1));
    assertThat(history()).hasSize(1);
  }

  @Test
  void allowClaimsBesideTheOpenRun() {
    claimed(a, 1);
    claimed(request(b, 2, OverlapRule.ALLOW));
    assertThat(state().open()).isEqualTo(2);
  }

  @Test
  void queueOneLetsOneWaitAndSkipsFurtherOnes() {
    TickClaimId first = claimed(a, 1);
    TickClaimReply second = claim(request(b, 2, OverlapRule.QUEUE_ONE));
    assertThat(second.kind()).isEqualTo(Kind.QUEUED);
    assertThat(second.attempt()).isZero();
    assertThat(second.state().queued()).isEqualTo(1);
    assertThat(claim(request(b, 3, OverlapRule.QUEUE_ONE)).kind()).isEqualTo(Kind.SKIPPED);
    assertThat(row(tick(3)).reason()).isEqualTo(SkipReason.OVERLAP);
    assertThat(rescue(b).waiting()).as("beside the open run").isEmpty();
    assertThat(take(b, tick(2)).kind()).isEqualTo(Kind.BUSY);

    finish(first, tick(1), Outcome.SUCCEEDED, 3);
    assertThat(rescue(b).waiting()).containsExactly(tick(2));
    taken(b, tick(2));
    assertThat(state().queued()).isZero();
    assertThat(state().open()).isEqualTo(1);
    assertThat(rescue(a).cancelled()).isEmpty();
  }

  @Test
  void replaceAsksTheRunToCancelUntilItEnds() {
    TickClaimId first = claimed(a, 1);
    assertThat(claim(request(b, 2, OverlapRule.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
    assertThat(rescue(a).cancelled()).containsExactly(first);
    assertThat(rescue(a).cancelled()).as("until it ended").containsExactly(first);
    assertThat(rescue(b).cancelled()).as("not b's").isEmpty();
    assertThat(rescue(b).waiting()).isEmpty();

    finish(first, tick(1), Outcome.FAILED, 2);
    assertThat(rescue(a).cancelled()).isEmpty();
    assertThat(rescue(b).waiting()).containsExactly(tick(2));
    taken(b, tick(2));
    assertThat(rescue(b).cancelled()).as("the new run goes on").isEmpty();
  }

  @Test
  void replaceTakesThePlaceOfTheTickThatWaits() {
    TickClaimId first = claimed(a, 1);
    claim(request(b, 2, OverlapRule.REPLACE));
    assertThat(claim(request(b, 3, OverlapRule.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
    assertThat(row(tick(2)).outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(row(tick(2)).reason()).isEqualTo(SkipReason.OVERLAP);
    assertThat(state().queued()).isEqualTo(1);
    finish(first, tick(1), Outcome.FAILED, 3);
    assertThat(take(b, tick(2)).kind()).isEqualTo(Kind.MOVED);
    taken(b, tick(3));
  }

  @Test
  void replaceNeverCallsATickSkippedThatMayHaveBegun() {
    TickClaimId first = claimed(request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE));
    giveBack(first, tick(1));
    ledger().trigger(triggered(2, "now"));
    taken(a, triggered(2, "now"));
    assertThat(claim(request(b, 3, OverlapRule.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
    assertThat(row(tick(1)).status()).isEqualTo(Status.WAITING);
    assertThat(state().queued()).isEqualTo(2);
  }

  @Test
  void replaceAsksEveryOpenRunToCancel() {
    TickClaimId first = claimed(a, 1);
    TickClaimId second = claimed(request(a, 2, OverlapRule.ALLOW));
    claim(request(b, 3, OverlapRule.REPLACE));
    assertThat(rescue(a).cancelled()).containsExactlyInAnyOrder(first, second);
    finish(first, tick(1), Outcome.FAILED, 3);
    assertThat(rescue(a).cancelled()).containsExactly(second);
  }

  @Test
  void tickIsTakenBesideAnOpenRunOnlyIfTheCallerAllowsIt() {
    claimed(request(a, 1, OverlapRule.ALLOW));
    ledger().trigger(triggered(1, "now"));
    assertThat(rescue(b).waiting())
        .as("told, because the open run was claimed by a caller who allows it")
        .containsExactly(triggered(1, "now"));
    assertThat(take(takeRequest(b, triggered(1, "now"), OverlapRule.SKIP)).kind())
        .isEqualTo(Kind.BUSY);
    assertThat(take(takeRequest(b, triggered(1, "now"), OverlapRule.ALLOW)).kind())
        .isEqualTo(Kind.CLAIMED);
    assertThat(state().open()).isEqualTo(2);
  }
}
