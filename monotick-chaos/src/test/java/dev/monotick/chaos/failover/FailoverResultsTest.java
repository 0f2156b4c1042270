package dev.monotick.chaos.failover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailoverResultsTest {

  @Test
  void percentilesAreValuesThatWereMeasured() {
    FailoverResults results = new FailoverResults(LeaderFault.CRASH);
    for (int i = 200; i >= 1; i--) {
      results.add(new FailoverResults.Trial(i * 10_000_000L, i * 20_000_000L));
    }
    assertThat(results.line()).isEqualTo("crash p50=1.000 p99=1.980 n=200");
    assertThat(results.row())
        .isEqualTo("| crash | 200 | 1.000 | 1.980 | 2.000 | 2.000 | 3.960 | 1.2 |");
  }

  @Test
  void oneTrialIsAllThereIs() {
    FailoverResults results = new FailoverResults(LeaderFault.PAUSE);
    results.add(new FailoverResults.Trial(5_000_000_000L, 6_000_000_000L));
    assertThat(results.line()).isEqualTo("pause p50=5.000 p99=5.000 n=1");
  }
}
