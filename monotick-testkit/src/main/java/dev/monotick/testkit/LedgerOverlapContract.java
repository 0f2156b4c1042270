package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimReply.Kind;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.OnOverlap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.SkipReason;
import dev.monotick.ledger.TickRecord.Status;
import dev.monotick.task.Effect;
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
    for (OnOverlap policy : OnOverlap.values()) {
      minute++;
      ClaimId claim = claimed(request(a, minute, policy));
      finish(claim, tick(minute), Outcome.SUCCEEDED, minute);
    }
    assertThat(state().open()).isZero();
    assertThat(history()).hasSize(OnOverlap.values().length);
  }

  @Test
  void skipRecordsTheTickAndWhatCameBeforeIt() {
    claimed(a, 1);
    ClaimReply reply =
        claim(
            request(
                b, 4, OnOverlap.SKIP, Effect.AT_MOST_ONCE, Gap.missed(minute(2), minute(3), 2)));
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
    ClaimReply reply =
        claim(
            request(
                b, 4, OnOverlap.WAIT, Effect.AT_MOST_ONCE, Gap.missed(minute(2), minute(3), 2)));
    assertThat(reply.kind()).isEqualTo(Kind.BUSY);
    assertThat(state().cursor()).isEqualTo(minute(1));
    assertThat(history()).hasSize(1);
  }

  @Test
  void allowClaimsBesideTheOpenRun() {
    claimed(a, 1);
    claimed(request(b, 2, OnOverlap.ALLOW));
    assertThat(state().open()).isEqualTo(2);
  }

  @Test
  void queueOneLetsOneWaitAndSkipsFurtherOnes() {
    ClaimId first = claimed(a, 1);
    ClaimReply second = claim(request(b, 2, OnOverlap.QUEUE_ONE));
    assertThat(second.kind()).isEqualTo(Kind.QUEUED);
    assertThat(second.attempt()).isZero();
    assertThat(second.state().queued()).isEqualTo(1);
    assertThat(claim(request(b, 3, OnOverlap.QUEUE_ONE)).kind()).isEqualTo(Kind.SKIPPED);
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
    ClaimId first = claimed(a, 1);
    assertThat(claim(request(b, 2, OnOverlap.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
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
    ClaimId first = claimed(a, 1);
    claim(request(b, 2, OnOverlap.REPLACE));
    assertThat(claim(request(b, 3, OnOverlap.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
    assertThat(row(tick(2)).outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(row(tick(2)).reason()).isEqualTo(SkipReason.OVERLAP);
    assertThat(state().queued()).isEqualTo(1);
    finish(first, tick(1), Outcome.FAILED, 3);
    assertThat(take(b, tick(2)).kind()).isEqualTo(Kind.MOVED);
    taken(b, tick(3));
  }

  @Test
  void replaceNeverCallsATickSkippedThatMayHaveBegun() {
    ClaimId first = claimed(request(a, 1, OnOverlap.SKIP, Effect.AT_LEAST_ONCE));
    giveBack(first, tick(1));
    ledger().trigger(triggered(2, "now"));
    taken(a, triggered(2, "now"));
    assertThat(claim(request(b, 3, OnOverlap.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
    assertThat(row(tick(1)).status()).isEqualTo(Status.WAITING);
    assertThat(state().queued()).isEqualTo(2);
  }

  @Test
  void replaceAsksEveryOpenRunToCancel() {
    ClaimId first = claimed(a, 1);
    ClaimId second = claimed(request(a, 2, OnOverlap.ALLOW));
    claim(request(b, 3, OnOverlap.REPLACE));
    assertThat(rescue(a).cancelled()).containsExactlyInAnyOrder(first, second);
    finish(first, tick(1), Outcome.FAILED, 3);
    assertThat(rescue(a).cancelled()).containsExactly(second);
  }

  @Test
  void tickIsTakenBesideAnOpenRunOnlyIfTheCallerAllowsIt() {
    claimed(request(a, 1, OnOverlap.ALLOW));
    ledger().trigger(triggered(1, "now"));
    assertThat(rescue(b).waiting())
        .as("told, because the open run was claimed by a caller who allows it")
        .containsExactly(triggered(1, "now"));
    assertThat(take(takeRequest(b, triggered(1, "now"), OnOverlap.SKIP)).kind())
        .isEqualTo(Kind.BUSY);
    assertThat(take(takeRequest(b, triggered(1, "now"), OnOverlap.ALLOW)).kind())
        .isEqualTo(Kind.CLAIMED);
    assertThat(state().open()).isEqualTo(2);
  }
}
