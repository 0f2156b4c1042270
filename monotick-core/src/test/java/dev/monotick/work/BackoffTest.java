package dev.monotick.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {

  @Test
  void doublesFromOneSecondToFifteenMinutes() {
    Backoff backoff = Backoff.ofDefaults();
    assertThat(backoff.delay(1, 0)).isEqualTo(Duration.ofSeconds(1));
    assertThat(backoff.delay(2, 0)).isEqualTo(Duration.ofSeconds(2));
    assertThat(backoff.delay(10, 0)).isEqualTo(Duration.ofSeconds(512));
    assertThat(backoff.delay(11, 0)).isEqualTo(Duration.ofMinutes(15));
    assertThat(backoff.delay(Integer.MAX_VALUE, 0)).isEqualTo(Duration.ofMinutes(15));
  }

  @Test
  void jitterAddsATenthAtMostAndIsTheSameForTheSameHash() {
    Backoff backoff = Backoff.ofDefaults();
    for (long hash = -500; hash < 500; hash++) {
      assertThat(backoff.delay(20, hash))
          .isBetween(Duration.ofMinutes(15), Duration.ofSeconds(990))
          .isEqualTo(backoff.delay(20, hash));
    }
  }

  @Test
  void noneWaitsForNothingThatCouldBeMeasured() {
    assertThat(Backoff.none().delay(1000, 77)).isLessThan(Duration.ofMillis(1));
  }
}
