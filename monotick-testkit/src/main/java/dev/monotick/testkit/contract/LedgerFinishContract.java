package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger records what became of a claim once, and only for the one who holds it. */
@Timeout(60)
public abstract class LedgerFinishContract extends LedgerContract {

  /** For backends. */
  protected LedgerFinishContract() {}

  @Test
  void successEndsTheRun() {
    TickClaimId claim = claimed(a, 1);
    TickReportReply reply = finish(claim, tick(1), Outcome.SUCCEEDED, 2);
    assertThat(reply.recorded()).isTrue();
    SeriesState state = reply.state();
    assertThat(state).isEqualTo(state());
    assertThat(state.open()).isZero();
    assertThat(state.failures()).isZero();
    assertThat(state.lastFailureAt()).isNull();
    assertThat(state.lastEndedAt()).isEqualTo(minute(2));
    assertThat(state.lastSuccessAt()).isEqualTo(minute(2));
    TickRecord row = row(tick(1));
    assertThat(row.status()).isEqualTo(Status.ENDED);
    assertThat(row.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(row.detail()).isEqualTo("said so");
    assertThat(row.startedAt()).isEqualTo(minute(2).minusSeconds(30));
    assertThat(row.endedAt()).isEqualTo(minute(2));
    assertThat(row.claim()).isEqualTo(claim.shown());
  }

  @Test
  void failuresInARowAreCountedAndOneSuccessForgetsThem() {
    finish(claimed(a, 1), tick(1), Outcome.FAILED, 1);
    finish(claimed(a, 2), tick(2), Outcome.TIMED_OUT, 2);
    assertThat(state().failures()).isEqualTo(2);
    assertThat(state().lastFailureAt()).isEqualTo(minute(2));
    assertThat(state().lastEndedAt()).isEqualTo(minute(2));
    assertThat(state().lastSuccessAt()).isNull();
    finish(claimed(a, 3), tick(3), Outcome.SUCCEEDED, 3);
    assertThat(state().failures()).isZero();
    assertThat(state().lastFailureAt()).isNull();
    assertThat(state().lastSuccessAt()).isEqualTo(minute(3));
  }

  @Test
  void claimThatCameTooLateIsMissedAndSaysNothingAboutFailures() {
    finish(claimed(a, 1), tick(1), Outcome.FAILED, 1);
    finish(claimed(a, 2), tick(2), Outcome.MISSED, 2);
    assertThat(state().failures()).isEqualTo(1);
    assertThat(state().lastFailureAt()).isEqualTo(minute(1));
    assertThat(state().open()).isZero();
    assertThat(row(tick(2)).outcome()).isEqualTo(Outcome.MISSED);
  }

  @Test
  void reportThatIsSentAgainIsRecordedOnce() {
    TickReport report = ended(claimed(a, 1), tick(1), Outcome.FAILED, 1, true);
    assertThat(finish(report).recorded()).isTrue();
    SeriesState after = state();
    assertThat(finish(report).recorded()).isTrue();
    assertThat(state()).isEqualTo(after);
    assertThat(after.failures()).isEqualTo(1);
  }

  @Test
  void secondOutcomeIsRefused() {
    TickClaimId claim = claimed(a, 1);
    finish(claim, tick(1), Outcome.FAILED, 1);
    SeriesState after = state();
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isFalse();
    assertThat(giveBack(claim, tick(1)).recorded()).isFalse();
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.FAILED);
    assertThat(state()).isEqualTo(after);
  }

  @Test
  void reportOfAnotherClaimIsRefused() {
    claimed(a, 1);
    SeriesState before = state();
    TickReportReply reply = finish(newClaim(b), tick(1), Outcome.SUCCEEDED, 1);
    assertThat(reply.recorded()).isFalse();
    assertThat(reply.state()).isEqualTo(before);
    assertThat(giveBack(newClaim(a), tick(1)).recorded()).isFalse();
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void reportOnATickThatNobodyClaimedIsRefused() {
    assertThat(finish(newClaim(a), tick(1), Outcome.SUCCEEDED, 1).recorded()).isFalse();
    assertThat(history()).isEmpty();
  }

  @Test
  void oneOfTwoDifferentOutcomesThatRaceIsRecorded() {
    TickClaimId claim = claimed(a, 1);
    List<Boolean> recorded =
        Race.run(
            2,
            i -> finish(claim, tick(1), i == 0 ? Outcome.FAILED : Outcome.SUCCEEDED, 1).recorded());
    assertThat(recorded).containsExactlyInAnyOrder(true, false);
    Outcome expected = recorded.get(0) ? Outcome.FAILED : Outcome.SUCCEEDED;
    assertThat(row(tick(1)).outcome()).isEqualTo(expected);
    assertThat(state().failures()).isEqualTo(recorded.get(0) ? 1 : 0);
  }

  @Test
  void bodyThatStillRunsAfterItsTimeoutOccupiesTheTask() {
    TickClaimId claim = claimed(a, 1);
    TickReport still = ended(claim, tick(1), Outcome.TIMED_OUT, 2, false);
    assertThat(finish(still).recorded()).isTrue();
    assertThat(finish(still).recorded()).as("sent again").isTrue();
    assertThat(row(tick(1)).status()).isEqualTo(Status.ENDED);
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(state().failures()).isEqualTo(1);
    assertThat(state().open()).isEqualTo(1);
    assertThat(claim(request(b, 2, OverlapRule.WAIT)).kind()).isEqualTo(Kind.BUSY);
    assertThat(claim(request(b, 2, OverlapRule.QUEUE_ONE)).kind()).isEqualTo(Kind.QUEUED);

    TickReport over = ended(claim, tick(1), Outcome.TIMED_OUT, 3, true);
    assertThat(finish(over).recorded()).isTrue();
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isEqualTo(1);
    assertThat(state().lastEndedAt()).isEqualTo(minute(3));
    assertThat(row(tick(1)).endedAt()).as("when the outcome was known").isEqualTo(minute(2));
    assertThat(finish(over).recorded()).as("sent again").isTrue();
    assertThat(finish(still).recorded()).as("sent again, late").isTrue();
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isEqualTo(1);
    taken(b, tick(2));
  }

  @Test
  void outcomeStaysWhateverIsSaidWhenTheBodyEnds() {
    TickClaimId claim = claimed(a, 1);
    finish(ended(claim, tick(1), Outcome.TIMED_OUT, 2, false));
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 3).recorded()).isTrue();
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isEqualTo(1);
    assertThat(state().lastSuccessAt()).isNull();
  }

  @Test
  void runsThatOverlapEndInAnyOrder() {
    TickClaimId first = claimed(a, 1);
    TickClaimId second = claimed(request(b, 2, OverlapRule.ALLOW));
    finish(second, tick(2), Outcome.SUCCEEDED, 4);
    assertThat(state().open()).isEqualTo(1);
    finish(first, tick(1), Outcome.SUCCEEDED, 3);
    assertThat(state().open()).isZero();
    assertThat(state().lastEndedAt()).isEqualTo(minute(4));
    assertThat(state().lastSuccessAt()).isEqualTo(minute(4));
  }

  @Test
  void refusedReportDoesNotHoldUpTheOthers() {
    TickReport good = ended(claimed(a, 1), tick(1), Outcome.SUCCEEDED, 1, true);
    TickReport bad = ended(newClaim(a), tick(1), Outcome.SUCCEEDED, 1, true);
    assertThat(ledger().report(List.of(bad, good)))
        .extracting(TickReportReply::recorded)
        .containsExactly(false, true);
  }
}
