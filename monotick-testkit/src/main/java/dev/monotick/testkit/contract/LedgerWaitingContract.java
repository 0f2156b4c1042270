package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger lets ticks wait that were triggered or given back, and gives each once. */
@Timeout(60)
public abstract class LedgerWaitingContract extends LedgerContract {

  /** For backends. */
  protected LedgerWaitingContract() {}

  @Test
  void triggeredTickWaitsAndIsTakenOnce() {
    TickId tick = triggered(5, "order-7");
    assertThat(ledger().trigger(tick)).isTrue();
    assertThat(state().cursor()).as("of the schedule").isEqualTo(minute(0));
    assertThat(state().queued()).isEqualTo(1);
    assertThat(row(tick).status()).isEqualTo(Status.WAITING);
    assertThat(rescue(a).waiting()).containsExactly(tick);
    assertThat(rescue(b).waiting()).containsExactly(tick);

    TickTake request = takeRequest(a, tick, OverlapRule.WAIT);
    TickClaimReply reply = take(request);
    assertThat(reply.kind()).isEqualTo(Kind.CLAIMED);
    assertThat(reply.attempt()).isEqualTo(1);
    assertThat(reply.state().open()).isEqualTo(1);
    assertThat(reply.state().queued()).isZero();
    assertThat(take(request)).as("sent again").isEqualTo(reply);
    assertThat(take(b, tick).kind()).isEqualTo(Kind.MOVED);
    assertThat(rescue(b).waiting()).isEmpty();
    finish(request.claim(), tick, Outcome.SUCCEEDED, 6);
    assertThat(take(request).kind()).as("sent again after it ended").isEqualTo(Kind.MOVED);
    assertThat(row(tick).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void triggerIsIdempotentByItsKey() {
    assertThat(ledger().trigger(triggered(5, "order-7"))).isTrue();
    assertThat(ledger().trigger(triggered(5, "order-7"))).isFalse();
    assertThat(ledger().trigger(triggered(6, "order-7"))).as("asked for later").isFalse();
    assertThat(ledger().trigger(triggered(5, "order-8"))).isTrue();
    TickClaimId claim = taken(a, triggered(5, "order-7"));
    assertThat(ledger().trigger(triggered(5, "order-7"))).as("while it runs").isFalse();
    finish(claim, triggered(5, "order-7"), Outcome.SUCCEEDED, 6);
    assertThat(ledger().trigger(triggered(5, "order-7"))).as("after it ended").isFalse();
    assertThat(history()).hasSize(2);
  }

  @Test
  void triggerOfATaskIsNotThatOfAnother() {
    register("other");
    assertThat(ledger().trigger(triggered(5, "key"))).isTrue();
    assertThat(ledger().trigger(TickId.triggered("other", minute(5), "key"))).isTrue();
    assertThat(rescue(a).waiting())
        .as("only of tasks it knows")
        .containsExactly(triggered(5, "key"));
  }

  @Test
  void oneOfManyRacingTriggersCounts() {
    List<Boolean> added = Race.run(20, i -> ledger().trigger(triggered(5, "key")));
    assertThat(added).filteredOn(Boolean::booleanValue).hasSize(1);
  }

  @Test
  void oneOfManyRacingReplicasTakesATick() {
    ledger().trigger(triggered(5, "key"));
    List<Kind> kinds =
        Race.run(
            20,
            i ->
                take(takeRequest(i % 2 == 0 ? a : b, triggered(5, "key"), OverlapRule.ALLOW))
                    .kind());
    assertThat(kinds).filteredOn(Kind.CLAIMED::equals).hasSize(1);
    assertThat(kinds).filteredOn(Kind.MOVED::equals).hasSize(19);
  }

  @Test
  void ticksWaitOldestFirst() {
    ledger().trigger(triggered(7, "late"));
    ledger().trigger(triggered(5, "early"));
    ledger().trigger(triggered(6, "middle"));
    assertThat(rescue(a).waiting())
        .containsExactly(triggered(5, "early"), triggered(6, "middle"), triggered(7, "late"));
  }

  @Test
  void tickThatIsGivenBackWaitsForAnyReplica() {
    TickClaimId claim = claimed(a, 1);
    assertThat(giveBack(claim, tick(1)).recorded()).isTrue();
    assertThat(giveBack(claim, tick(1)).recorded()).as("sent again").isTrue();
    assertThat(state().open()).isZero();
    assertThat(state().failures()).isZero();
    assertThat(state().cursor()).isEqualTo(minute(1));
    assertThat(row(tick(1)).status()).isEqualTo(Status.WAITING);
    assertThat(rescue(b).waiting()).containsExactly(tick(1));

    TickClaimReply reply = take(b, tick(1));
    assertThat(reply.kind()).isEqualTo(Kind.CLAIMED);
    assertThat(reply.attempt()).isEqualTo(2);
    assertThat(giveBack(claim, tick(1)).recorded()).as("no longer a's").isFalse();
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isFalse();
    assertThat(row(tick(1)).status()).isEqualTo(Status.RUNNING);
  }

  @Test
  void tickThatIsGivenBackCannotBeEndedByTheSameClaim() {
    TickClaimId claim = claimed(a, 1);
    giveBack(claim, tick(1));
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isFalse();
    assertThat(row(tick(1)).status()).isEqualTo(Status.WAITING);
  }

  @Test
  void claimThatGaveATickBackDoesNotTakeItAgain() {
    ledger().trigger(triggered(5, "key"));
    TickTake request = takeRequest(a, triggered(5, "key"), OverlapRule.WAIT);
    take(request);
    giveBack(request.claim(), triggered(5, "key"));
    assertThat(take(request).kind()).as("the old request, arriving late").isEqualTo(Kind.MOVED);
    assertThat(take(a, triggered(5, "key")).kind()).as("a new one").isEqualTo(Kind.CLAIMED);
  }

  @Test
  void tickThatIsNotThereHasMoved() {
    assertThat(take(a, tick(1)).kind()).isEqualTo(Kind.MOVED);
    assertThat(take(a, triggered(1, "key")).kind()).isEqualTo(Kind.MOVED);
  }

  @Test
  void tickIsTakenUnderTheNewestFenceOnly() {
    ledger().trigger(triggered(5, "key"));
    Fence old = ledger().mintFence(GROUP, a);
    Fence fresh = ledger().mintFence(GROUP, b);
    assertThat(take(as(old, a)).kind()).isEqualTo(Kind.FENCED);
    assertThat(take(as(fresh, b)).kind()).isEqualTo(Kind.CLAIMED);
    assertThat(row(triggered(5, "key")).fence()).isEqualTo(fresh);
  }

  @Test
  void tickOfAPausedTaskWaitsUnlessItWasTriggered() {
    giveBack(claimed(a, 1), tick(1));
    ledger().trigger(triggered(5, "key"));
    ledger().pause(TASK, BY_HAND);
    assertThat(rescue(b).waiting()).containsExactly(triggered(5, "key"));
    assertThat(take(b, tick(1)).kind()).isEqualTo(Kind.PAUSED);
    TickClaimId claim = taken(b, triggered(5, "key"));
    finish(claim, triggered(5, "key"), Outcome.SUCCEEDED, 6);
    assertThat(ledger().resume(state(), List.of())).isPresent();
    assertThat(rescue(b).waiting()).containsExactly(tick(1));
    taken(b, tick(1));
  }

  @Test
  void listenersAreNotifiedWhenATickMayBeTaken() throws InterruptedException {
    needs(Capability.SIGNALS);
    Semaphore told = new Semaphore(0);
    ledger().onWaiting(told::release);
    ledger().trigger(triggered(5, "key"));
    awaitSignal(told, "triggered");
    TickClaimId claim = taken(a, triggered(5, "key"));
    giveBack(claim, triggered(5, "key"));
    awaitSignal(told, "given back");
    claim = taken(a, triggered(5, "key"));
    claim(request(b, 6, OverlapRule.QUEUE_ONE));
    told.drainPermits();
    finish(claim, triggered(5, "key"), Outcome.SUCCEEDED, 7);
    awaitSignal(told, "the run before it ended");
    ledger().pause(TASK, BY_HAND);
    told.drainPermits();
    ledger().resume(state(), List.of());
    awaitSignal(told, "resumed");
  }

  private static void awaitSignal(Semaphore told, String why) throws InterruptedException {
    assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).as(why).isTrue();
    told.drainPermits();
  }

  private TickTake as(Fence fence, MemberId replica) {
    return TickTake.of(
        newClaim(replica),
        triggered(5, "key"),
        OverlapRule.WAIT,
        Effect.AT_MOST_ONCE,
        new LeaderProof(GROUP, fence));
  }
}
