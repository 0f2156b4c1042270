package dev.monotick.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.leader.Fence;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.testkit.FakeTime;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the in-memory store promises beyond the contracts. */
final class InMemoryStoreTest {

  private static final String TASK = "report";

  private final FakeTime time = new FakeTime();
  private final InMemoryStore store =
      InMemoryStore.builder().time(time.timeSource()).historyPerTask(3).build();
  private final TickLedger ledger = store.ledger();
  private final MemberId a = MemberId.random();
  private final MemberId b = MemberId.random();

  @BeforeEach
  void register() {
    ledger.register(List.of(new SeriesRegistration(TASK, "every PT1M", FakeTime.START)));
  }

  @Test
  void storeOfDefaultsUsesTheClocksOfTheProcess() {
    InMemoryStore defaults = InMemoryStore.create();
    assertThat(defaults.leaders().defaultTiming())
        .isEqualTo(InMemoryStore.DEFAULT_LEASE_TIMING)
        .isEqualTo(defaults.replicas().timing());
    assertThat(defaults.ledger().now()).isAfter(Instant.EPOCH);
  }

  @Test
  void timingIsThatOfTheBuilder() {
    Duration second = Duration.ofSeconds(1);
    LeaseTiming timing = new LeaseTiming(Duration.ofSeconds(10), second, second, second);
    InMemoryStore slow = InMemoryStore.builder().leaseTiming(timing).build();
    assertThat(slow.leaders().defaultTiming()).isEqualTo(timing);
    assertThat(slow.replicas().timing()).isEqualTo(timing);
  }

  @Test
  void historyOfNothingIsRefused() {
    InMemoryStore.Builder builder = InMemoryStore.builder().historyPerTask(0);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "historyPerTask must be at least 1, but was 0; use 1 to keep as little as possible");
  }

  @Test
  void oldestEndedRowsAreDroppedButNeitherRunningNorWaitingOnes() {
    claim(1, Effect.AT_MOST_ONCE);
    ledger.trigger(TickId.triggered(TASK, minute(1), "key"));
    runTicksFromTwoToEight();
    assertThat(ledger.history(TASK, 100))
        .extracting(TickRecord::tick)
        .containsExactlyInAnyOrder(
            tick(8), tick(7), tick(6), tick(1), TickId.triggered(TASK, minute(1), "key"));
    assertThat(state().open()).isEqualTo(1);
  }

  @Test
  void tickWhoseRowWasDroppedIsNotClaimedAgain() {
    TickClaim before = request(2, Effect.AT_MOST_ONCE);
    runTicksFromTwoToEight();
    assertThat(ledger.history(TASK, 100)).extracting(TickRecord::tick).doesNotContain(tick(2));
    TickClaim after = request(2, Effect.AT_MOST_ONCE);
    assertThat(ledger.claim(List.of(before, after)))
        .extracting(TickClaimReply::kind)
        .containsExactly(Kind.MOVED, Kind.MOVED);
  }

  private void runTicksFromTwoToEight() {
    for (int minute = 2; minute <= 8; minute++) {
      TickClaim request = claim(minute, Effect.AT_MOST_ONCE);
      ledger.report(
          List.of(
              new TickReport(
                  request.claim(),
                  request.tick(),
                  new Ended(Outcome.SUCCEEDED, null, null, minute(minute), true))));
    }
  }

  @Test
  void wallClockThatJumpsEndsNoLease() {
    Candidacy candidacy = store.leaders().candidate("default", a, store.leaders().defaultTiming());
    Fence term = candidacy.tryAcquire().orElseThrow();
    store.replicas().join(new MemberInfo(a, "host-a", time.now(), Set.of()), false);
    time.jumpWallClock(Duration.ofDays(1));
    assertThat(candidacy.renew(term)).isTrue();
    assertThat(store.replicas().heartbeat(a)).isPresent();
    time.jumpWallClock(Duration.ofDays(-2));
    time.advance(store.leaders().defaultTiming().leaseDuration());
    assertThat(candidacy.renew(term)).isFalse();
    assertThat(store.replicas().heartbeat(a)).isEmpty();
  }

  @Test
  void fencesCountFromOne() {
    assertThat(ledger.mintFence("default", a)).isEqualTo(new Fence(1, 1));
    assertThat(ledger.mintFence("default", b)).isEqualTo(new Fence(1, 2));
    assertThat(ledger.mintFence("other", b)).isEqualTo(new Fence(1, 1));
  }

  @Test
  void replicaThatNeverJoinedIsNotTakenForGone() {
    claim(1, Effect.AT_LEAST_ONCE);
    time.advance(Duration.ofDays(1));
    assertThat(ledger.rescue(b, Set.of(TASK)).waiting()).isEmpty();
    assertThat(state().open()).isEqualTo(1);
  }

  @Test
  void replicaThatAsksIsNotDead() {
    store.replicas().join(new MemberInfo(a, "host-a", time.now(), Set.of()), false);
    claim(1, Effect.AT_LEAST_ONCE);
    store.replicas().leave(a);
    assertThat(ledger.rescue(a, Set.of(TASK)).waiting()).isEmpty();
    assertThat(ledger.rescue(b, Set.of(TASK)).waiting()).containsExactly(tick(1));
  }

  @Test
  void mistakesAreRefusedBeforeAnythingIsDone() {
    TickClaim good = request(1, Effect.AT_MOST_ONCE);
    TickClaim unsupported = request(1, Effect.TRANSACTIONAL);
    assertThatThrownBy(() -> ledger.claim(List.of(good, unsupported)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("TRANSACTIONAL");
    assertThatThrownBy(() -> ledger.trigger(tick(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key");
    assertThatThrownBy(() -> ledger.pause("unknown", new SeriesPause("ann", "why", time.now())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("register");
    Ended unknown = new Ended(Outcome.UNKNOWN, null, null, time.now(), true);
    assertThatThrownBy(() -> ledger.report(List.of(new TickReport(good.claim(), tick(1), unknown))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("UNKNOWN");
    assertThat(ledger.history(TASK, 10)).isEmpty();
    assertThat(ledger.effects())
        .containsExactlyInAnyOrder(Effect.AT_MOST_ONCE, Effect.AT_LEAST_ONCE);
  }

  private TickClaim claim(int minute, Effect effect) {
    TickClaim request = request(minute, effect);
    assertThat(ledger.claim(List.of(request)).get(0).kind()).isEqualTo(Kind.CLAIMED);
    return request;
  }

  private TickClaim request(int minute, Effect effect) {
    return new TickClaim(
        new TickClaimId(a, minute),
        tick(minute),
        state(),
        List.of(),
        OverlapRule.ALLOW,
        effect,
        null);
  }

  private SeriesState state() {
    return ledger.states(List.of(TASK)).get(0);
  }

  private static TickId tick(int minute) {
    return TickId.scheduled(TASK, minute(minute));
  }

  private static Instant minute(int minute) {
    return FakeTime.START.plusSeconds(60L * minute);
  }
}
