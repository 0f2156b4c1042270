package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StatementCountTest {

  @Test
  void eachStatementIsCountedOnceForItsDatabase() {
    StatementCount count =
        StatementCount.of(
            """
            a|LOG:  duration: 0.021 ms  parse <unnamed>: select 1
            a|LOG:  duration: 0.011 ms  bind <unnamed>: select 1
            a|LOG:  duration: 0.008 ms  execute <unnamed>: select 1
            a|LOG:  duration: 0.008 ms  execute S_1: BEGIN
            b|LOG:  duration: 1.5 ms  statement: update x
              set y = 1
            b|LOG:  duration: 1.5 ms  statement: commit
            |LOG:  checkpoint starting: time
            """);
    assertThat(count.queries()).isEqualTo(Map.of("a", 1L, "b", 1L));
    assertThat(count.control()).isEqualTo(Map.of("a", 1L, "b", 1L));
  }
}
