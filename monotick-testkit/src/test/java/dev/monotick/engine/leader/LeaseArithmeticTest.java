package dev.monotick.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.error.StoreException;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Rules 1 to 4 of leadership, with the default lease of the in-memory store: D 3 s, H, R and M 500
 * ms each, so a renewal is good for 2.5 s from when it was sent.
 */
class LeaseArithmeticTest {

  private static final Duration TRUSTED = Duration.ofMillis(2_500);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final ScriptedElection election = new ScriptedElection(store.leaders());
  private final List<String> events = new ArrayList<>();
  private final Monotick engine =
      Monotick.builder()
          .store(store)
          .election(election)
          .time(scheduler.time().timeSource())
          .threads(scheduler.threads())
          .task(Task.named("task").every(Duration.ofDays(1)).mode(HaMode.LEADER).run(c -> {}))
          .build();

  private LeaderTerm lead() {
    engine.subscribe(
        new LeadershipListener() {
          @Override
          public void lost(LeaderTerm term, LossCause cause) {
            events.add("lost " + cause);
          }
        });
    engine.start();
    scheduler.runDue();
    return engine.leadership("default").orElseThrow();
  }

  private void inEach(String wanted, Runnable action) {
    election.during(
        call -> {
          if (call.equals(wanted)) {
            action.run();
          }
        });
  }

  private void pass(Duration amount) {
    scheduler.time().advance(amount);
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  @Test
  void termIsValidFromWhenTheAttemptWasSent() {
    inEach("tryAcquire", () -> pass(millis(400)));
    assertThat(lead().validFor()).isEqualTo(TRUSTED.minusMillis(400));
  }

  @Test
  void attemptThatTookAsLongAsTheLeaseIsNotUsed() {
    inEach("tryAcquire", () -> pass(TRUSTED));
    engine.start();
    scheduler.runDue();
    assertThat(engine.leadership("default")).isEmpty();
    assertThat(election.calls).containsExactly("tryAcquire", "abandon");
  }

  @Test
  void renewalExtendsTheTermFromWhenItWasSent() {
    LeaderTerm term = lead();
    inEach("renew", () -> pass(millis(300)));
    scheduler.advance(millis(500));
    scheduler.runDue();
    assertThat(term.validFor()).isEqualTo(TRUSTED.minusMillis(300));
  }

  @Test
  void renewalThatIsAcknowledgedTooLateNeverRevivesTheTerm() {
    LeaderTerm term = lead();
    inEach("renew", () -> pass(millis(2_000))); // 500 ms after the attempt was sent: just over
    scheduler.advance(millis(500));
    scheduler.runDue();
    assertThat(term.isValid()).isFalse();
    assertThat(events).containsExactly("lost EXPIRED");
    election.during(call -> {});
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(term.isValid()).isFalse();
    assertThat(engine.leadership("default").orElseThrow().fence().isNewerThan(term.fence()))
        .isTrue();
  }

  @Test
  void definiteNotYoursEndsTheTermAtOnce() {
    LeaderTerm term = lead();
    scheduler.advance(millis(400));
    store
        .leaders()
        .candidate("default", new MemberId(engine.replicaId()), store.leaders().defaultTiming())
        .release(term.fence());
    scheduler.advance(millis(100));
    assertThat(term.isValid()).isFalse();
    assertThat(events).containsExactly("lost NOT_OURS");
  }

  @Test
  void termInDoubtIsRenewedAtOnce() {
    LeaderTerm term = lead();
    scheduler.advance(millis(200));
    assertThat(term.validFor()).isEqualTo(TRUSTED.minusMillis(200));
    election.doubt();
    scheduler.runDue();
    assertThat(term.validFor()).isEqualTo(TRUSTED);
    assertThat(renewals()).isEqualTo(1);
    scheduler.advance(millis(499));
    assertThat(renewals()).as("the next one is counted from this one").isEqualTo(1);
    scheduler.advance(millis(1));
    assertThat(renewals()).isEqualTo(2);
  }

  @Test
  void doubtThatComesDuringARenewalIsFollowedByAnother() {
    LeaderTerm term = lead();
    boolean[] doubted = {false};
    inEach(
        "renew",
        () -> {
          if (!doubted[0]) {
            doubted[0] = true;
            election.doubt();
            scheduler.runDue();
          }
        });
    scheduler.advance(millis(500));
    assertThat(renewals()).isEqualTo(2);
    assertThat(term.isValid()).isTrue();
  }

  @Test
  void doubtWithoutATermChangesNothing() {
    inEach("tryAcquire", () -> pass(TRUSTED));
    engine.start();
    scheduler.runDue();
    election.doubt();
    scheduler.runDue();
    assertThat(election.calls).containsExactly("tryAcquire", "abandon");
  }

  private long renewals() {
    return election.calls.stream().filter("renew"::equals).count();
  }

  @Test
  void renewalsWithoutAnswerEndTheTermWhenItsValidityEndsAndNotBefore() {
    LeaderTerm term = lead();
    inEach(
        "renew",
        () -> {
          throw new StoreException("no answer");
        });
    scheduler.advance(TRUSTED.minusNanos(1));
    assertThat(term.isValid()).isTrue();
    assertThat(election.calls.stream().filter("renew"::equals).count()).isGreaterThan(2);
    scheduler.advance(Duration.ofNanos(1));
    assertThat(term.isValid()).isFalse();
    scheduler.runDue();
    assertThat(events).containsExactly("lost EXPIRED");
  }

  @Test
  void oneRenewalWithoutAnswerCostsNothing() {
    LeaderTerm term = lead();
    List<String> failed = new ArrayList<>();
    inEach(
        "renew",
        () -> {
          if (failed.isEmpty()) {
            failed.add("once");
            throw new StoreException("no answer");
          }
        });
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(failed).hasSize(1);
    assertThat(term.isValid()).isTrue();
  }

  @Test
  void termEndsByTheClockAloneWithoutAnyCall() {
    LeaderTerm term = lead();
    int calls = election.calls.size();
    pass(TRUSTED); // nothing of the engine runs meanwhile
    assertThat(term.isValid()).isFalse();
    assertThat(term.validFor()).isZero();
    assertThat(election.calls).hasSize(calls);
  }

  @Test
  void suspendedMachineNoLongerTrustsItsTerm() {
    LeaderTerm term = lead();
    scheduler.time().suspend(TRUSTED);
    assertThat(term.isValid()).isFalse();
    scheduler.runDue();
    assertThat(events).containsExactly("lost CLOCKS_DISAGREE");
  }

  @Test
  void suspensionAndTimeAddUp() {
    LeaderTerm term = lead();
    pass(millis(300));
    scheduler.time().suspend(TRUSTED.minusMillis(301));
    assertThat(term.isValid()).isTrue();
    scheduler.time().suspend(millis(1));
    assertThat(term.isValid()).isFalse();
  }

  @Test
  void wallClockSetForwardsByTheLeaseEndsTheTerm() {
    LeaderTerm term = lead();
    scheduler.time().jumpWallClock(TRUSTED);
    scheduler.runDue();
    assertThat(term.isValid()).isFalse();
    assertThat(events).containsExactly("lost CLOCKS_DISAGREE");
  }

  @Test
  void wallClockSetBackEndsTheTermUnlessByLessThanSecond() {
    LeaderTerm term = lead();
    scheduler.time().jumpWallClock(millis(-900));
    assertThat(term.isValid()).isTrue();
    scheduler.time().jumpWallClock(millis(-200));
    assertThat(term.isValid()).isFalse();
    scheduler.time().jumpWallClock(millis(5_000)); // and back again: over is over
    scheduler.runDue();
    assertThat(events).containsExactly("lost CLOCKS_DISAGREE");
  }

  @Test
  void termIsRevokedAndItsWorkCancelledBeforeTheConnectionIsDroppedAndListenersAreTold() {
    LeaderTerm[] term = new LeaderTerm[1];
    engine.register(
        Task.named("work")
            .every(Duration.ofSeconds(1))
            .mode(HaMode.LEADER)
            .run(
                c -> {
                  inEach("abandon", () -> events.add("abandon, cancelled=" + c.isCancelled()));
                  term[0] = engine.leadership("default").orElseThrow();
                  store
                      .leaders()
                      .candidate(
                          "default",
                          new MemberId(engine.replicaId()),
                          store.leaders().defaultTiming())
                      .release(term[0].fence());
                  try {
                    c.sleep(Duration.ofMinutes(1));
                  } finally {
                    events.add("body ended, valid=" + term[0].isValid());
                  }
                }));
    lead();
    scheduler.advance(Duration.ofMillis(1_900));
    assertThat(events.get(0)).isEqualTo("abandon, cancelled=true");
    assertThat(events.subList(1, 3))
        .containsExactlyInAnyOrder("body ended, valid=false", "lost NOT_OURS");
  }

  @Test
  void resignationReleasesOnlyWhenTheWorkHasEnded() {
    inEach("release", () -> events.add("release"));
    engine.register(
        Task.named("work")
            .every(Duration.ofSeconds(1))
            .mode(HaMode.LEADER)
            .run(
                c -> {
                  engine.resign("default");
                  c.sleep(Duration.ofSeconds(5));
                  events.add("body ended, cancelled=" + c.isCancelled());
                }));
    lead();
    scheduler.advance(Duration.ofMillis(6_500));
    assertThat(events).startsWith("body ended, cancelled=false", "lost RELEASED", "release");
  }

  @Test
  void timingThatLeavesNoRoomForSecondTryIsRefused() {
    assertThatThrownBy(
            () -> new LeaseTiming(Duration.ofSeconds(3), millis(1_000), millis(800), millis(500)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT1S + 2 x PT0.8S = PT2.6S")
        .hasMessageContaining("PT3S - PT0.5S = PT2.5S")
        .hasMessageContaining("raise leaseDuration");
    assertThat(new LeaseTiming(Duration.ofSeconds(3), millis(900), millis(800), millis(500)))
        .isNotNull(); // just fits
  }

  @Test
  void timingFromTheEnvironmentIsRefusedTheSameWay() {
    assertThatThrownBy(
            () ->
                Monotick.builder()
                    .store(store)
                    .environment(Map.of("MONOTICK_LEASE_RENEW_INTERVAL", "2s"))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("renewInterval");
  }
}
