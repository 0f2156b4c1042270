package dev.monotick.chaos.failover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResultsTest {

  @Test
  void percentilesAreValuesThatWereMeasured() {
    Results results = new Results(Fault.CRASH);
    for (int i = 200; i >= 1; i--) {
      results.add(new Results.Trial(i * 10_000_000L, i * 20_000_000L));
    }
    assertThat(results.line()).isEqualTo("crash p50=1.000 p99=1.980 n=200");
    assertThat(results.row())
        .isEqualTo("| crash | 200 | 1.000 | 1.980 | 2.000 | 2.000 | 3.960 | 1.2 |");
  }

  @Test
  void oneTrialIsAllThereIs() {
    Results results = new Results(Fault.PAUSE);
    results.add(new Results.Trial(5_000_000_000L, 6_000_000_000L));
    assertThat(results.line()).isEqualTo("pause p50=5.000 p99=5.000 n=1");
  }
}
