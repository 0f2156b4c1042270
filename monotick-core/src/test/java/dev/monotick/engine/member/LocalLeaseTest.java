package dev.monotick.engine.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Lease of 10 s with a margin of 1 s: trusted for 9 s from when its renewal was sent. */
class LocalLeaseTest {

  private static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(2),
          Duration.ofSeconds(1));

  private Instant wall = Instant.parse("2026-01-01T00:00:00Z");
  private long nanos = Long.MAX_VALUE - 1_000;
  private final TimeSource time = new TimeSource(() -> wall, () -> nanos);

  private void pass(Duration amount) {
    wall = wall.plus(amount);
    nanos += amount.toNanos();
  }

  @Test
  void isTrustedFromTheSendingUntilTheMarginBegins() {
    LocalLease.Sent sent = LocalLease.Sent.now(time);
    pass(Duration.ofSeconds(4)); // the answer took that long
    LocalLease lease = new LocalLease(TIMING, time, sent);
    assertThat(lease.validFor()).isEqualTo(Duration.ofSeconds(5));
    pass(Duration.ofSeconds(5).minusNanos(1));
    assertThat(lease.isValid()).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(lease.isValid()).isFalse();
    assertThat(lease.cause()).isEqualTo(LossCause.EXPIRED);
    assertThat(lease.validFor()).isZero();
  }

  @Test
  void lateRenewalNeverRevivesIt() {
    LocalLease lease = new LocalLease(TIMING, time, LocalLease.Sent.now(time));
    pass(Duration.ofSeconds(8));
    LocalLease.Sent sent = LocalLease.Sent.now(time);
    pass(Duration.ofSeconds(2));
    assertThat(lease.renewed(sent)).isFalse();
    assertThat(lease.isValid()).isFalse();
  }

  @Test
  void firstCauseStays() {
    LocalLease lease = new LocalLease(TIMING, time, LocalLease.Sent.now(time));
    lease.end(LossCause.NOT_OURS);
    lease.end(LossCause.RELEASED);
    assertThat(lease.renewed(LocalLease.Sent.now(time))).isFalse();
    assertThat(lease.cause()).isEqualTo(LossCause.NOT_OURS);
  }

  @Test
  void suspendOfTheMachineEndsItThoughTheTickerStoodStill() {
    LocalLease lease = new LocalLease(TIMING, time, LocalLease.Sent.now(time));
    wall = wall.plus(Duration.ofSeconds(9));
    assertThat(lease.cause()).isEqualTo(LossCause.CLOCKS_DISAGREE);
  }

  @Test
  void clockSetBackByMoreThanASecondEndsIt() {
    LocalLease lease = new LocalLease(TIMING, time, LocalLease.Sent.now(time));
    wall = wall.minus(Duration.ofSeconds(1));
    assertThat(lease.isValid()).isTrue();
    wall = wall.minusMillis(1);
    assertThat(lease.isValid()).isFalse();
  }
}
