package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger gives the scheduled ticks of a task away in the order of their nominal times. */
@Timeout(120)
public abstract class LedgerOrderContract extends LedgerContract {

  /** For backends. */
  protected LedgerOrderContract() {}

  private void awaitAnotherRun(int minute) {
    TickClaimId claim = claimed(request(a, minute, OverlapRule.SKIP, Effect.AT_LEAST_ONCE));
    giveBack(claim, tick(minute));
  }

  @Test
  void ticksRunInNominalOrder() {
    awaitAnotherRun(1);
    for (OverlapRule policy : OverlapRule.values()) {
      if (policy != OverlapRule.ALLOW) {
        assertThat(claim(request(b, 2, policy)).kind()).as(policy.name()).isEqualTo(Kind.BUSY);
      }
    }
    assertThat(state().cursor()).isEqualTo(minute(1));
    assertThat(history()).hasSize(1);
    TickClaimId first = taken(b, tick(1));
    finish(first, tick(1), Outcome.SUCCEEDED, 2);
    claimed(request(b, 2, OverlapRule.SKIP));
  }

  @Test
  void tickOfAReplicaThatIsGoneRunsAgainBeforeNewerOnes() {
    claimed(request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE));
    loseAllBut(b);
    assertThat(rescue(b).waiting()).containsExactly(tick(1));
    assertThat(claim(request(b, 2, OverlapRule.SKIP)).kind()).isEqualTo(Kind.BUSY);
    finish(taken(b, tick(1)), tick(1), Outcome.SUCCEEDED, 2);
    claimed(request(b, 2, OverlapRule.SKIP));
  }

  @Test
  void ofTwoTicksThatWaitTheOlderIsTakenFirst() {
    ledger().trigger(triggered(0, "now"));
    awaitAnotherRun(1);
    TickClaimId trigger = taken(a, triggered(0, "now"));
    assertThat(claim(request(b, 2, OverlapRule.REPLACE)).kind()).isEqualTo(Kind.QUEUED);
    finish(trigger, triggered(0, "now"), Outcome.CANCELLED, 2);

    assertThat(rescue(b).waiting()).containsExactly(tick(1));
    assertThat(take(b, tick(2)).kind()).isEqualTo(Kind.BUSY);
    finish(taken(b, tick(1)), tick(1), Outcome.SUCCEEDED, 3);
    assertThat(rescue(b).waiting()).containsExactly(tick(2));
    taken(b, tick(2));
  }

  @Test
  void tickOfATaskWhoseRunsMayOverlapWaitsForNoOther() {
    awaitAnotherRun(1);
    claimed(request(b, 2, OverlapRule.ALLOW));
    assertThat(take(takeRequest(b, tick(1), OverlapRule.ALLOW)).kind()).isEqualTo(Kind.CLAIMED);
  }

  @Test
  void triggeredTicksAreBesideTheOrder() {
    awaitAnotherRun(1);
    TickId trigger = triggered(0, "now");
    ledger().trigger(trigger);
    assertThat(rescue(b).waiting()).containsExactly(trigger, tick(1));
    finish(taken(b, trigger), trigger, Outcome.SUCCEEDED, 2);
    finish(taken(b, tick(1)), tick(1), Outcome.SUCCEEDED, 2);
    ledger().trigger(triggered(1, "later"));
    claimed(request(b, 2, OverlapRule.SKIP));
    assertThat(row(triggered(1, "later")).status()).isEqualTo(Status.WAITING);
  }

  private Kind passOver(TickId tick, int cursor) {
    TickTake request =
        new TickTake(
            newClaim(b), tick, OverlapRule.WAIT, Effect.AT_LEAST_ONCE, null, minute(cursor));
    return take(request).kind();
  }

  @Test
  void tickThatIsPassedOverIsMissedIfItNeverBegan() {
    giveBackUnstarted(claimed(request(a, 1, OverlapRule.SKIP, Effect.AT_LEAST_ONCE)), tick(1));
    assertThat(passOver(tick(1), 0)).as("decided from an older state").isEqualTo(Kind.MOVED);
    assertThat(row(tick(1)).status()).isEqualTo(Status.WAITING);
    assertThat(passOver(tick(1), 1)).isEqualTo(Kind.MISSED);
    assertThat(row(tick(1)).outcome()).isEqualTo(Outcome.MISSED);
    assertThat(row(tick(1)).endedAt()).isNotNull();
    assertThat(state().queued()).isZero();
    assertThat(state().failures()).isZero();
    assertThat(rescue(b).waiting()).isEmpty();
    assertThat(passOver(tick(1), 1)).as("sent again").isEqualTo(Kind.MOVED);
    claimed(request(b, 2, OverlapRule.SKIP));
  }

  @Test
  void tickThatMayHaveBegunRunsAgainAlsoIfItIsPassedOver() {
    awaitAnotherRun(1);
    TickClaimId second = taken(b, tick(1));
    giveBackUnstarted(second, tick(1));
    assertThat(passOver(tick(1), 1)).isEqualTo(Kind.CLAIMED);

    join(a);
    register(TASK);
    claimed(request(a, 2, OverlapRule.ALLOW, Effect.AT_LEAST_ONCE));
    loseAllBut(c);
    rescue(c);
    assertThat(row(tick(2)).status()).isEqualTo(Status.WAITING);
    assertThat(passOver(tick(2), 2)).as("of a replica that is gone").isNotEqualTo(Kind.MISSED);
  }
}
