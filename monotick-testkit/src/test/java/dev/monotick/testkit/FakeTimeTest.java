package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.spi.time.TimeSource;
import dev.monotick.testkit.contract.Race;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class FakeTimeTest {

  private final FakeTime time = new FakeTime();
  private final TimeSource source = time.timeSource();
  private final long origin = source.nanos();

  @Test
  void beginsAtAFixedInstantAndStandsStill() {
    assertThat(source.now()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    assertThat(source.now()).isEqualTo(time.now());
    assertThat(source.nanos()).isEqualTo(time.nanos());
  }

  @Test
  void advanceMovesBothClocks() {
    time.advance(Duration.ofSeconds(90));
    assertThat(source.now()).isEqualTo(FakeTime.START.plusSeconds(90));
    assertThat(source.nanos() - origin).isEqualTo(90_000_000_000L);
  }

  @Test
  void jumpMovesTheWallClockOnly() {
    time.jumpWallClock(Duration.ofHours(-2));
    assertThat(source.now()).isEqualTo(FakeTime.START.minusSeconds(7200));
    assertThat(source.nanos()).isEqualTo(origin);
  }

  @Test
  void suspendLeavesTheTickerBehind() {
    time.suspend(Duration.ofMinutes(5));
    assertThat(source.now()).isEqualTo(FakeTime.START.plusSeconds(300));
    assertThat(source.nanos()).isEqualTo(origin);
  }

  @Test
  void timeDoesNotPassBackwards() {
    assertThatThrownBy(() -> time.advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jumpWallClock");
    assertThatThrownBy(() -> time.suspend(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(source.nanos()).isEqualTo(origin);
  }

  @Test
  void noStepIsLostWhenManyMoveIt() {
    Race.run(
        8,
        i -> {
          for (int step = 0; step < 1000; step++) {
            time.advance(Duration.ofNanos(1));
          }
          return i;
        });
    assertThat(source.nanos() - origin).isEqualTo(8000);
    assertThat(source.now()).isEqualTo(FakeTime.START.plusNanos(8000));
  }
}
