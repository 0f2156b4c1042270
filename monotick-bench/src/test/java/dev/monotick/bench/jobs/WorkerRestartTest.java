package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When a worker is back, read off what it ran in which millisecond. */
class WorkerRestartTest {

  private static final long START = 10_000;

  private static RunCourse course(Map<Long, Long> perMilli) {
    long executed = perMilli.values().stream().mapToLong(Long::longValue).sum();
    return new RunCourse(executed, new BitSet(), new TreeMap<>(perMilli));
  }

  @Test
  void timeCountsFromTheStartAndWithoutJobsThatWereRunBefore() {
    RunCourse course = course(Map.of(START - 5, 1_000L, START + 700, 199L, START + 900, 1L));
    WorkerRestart comeback = WorkerRestart.of(course, START, 1_000, 1_000, 5, 7);
    assertThat(comeback.firstMillis()).isEqualTo(900);
    assertThat(comeback.fastMillis()).as("200 jobs in a second").isEqualTo(-1);
    assertThat(comeback.isInTime()).isFalse();
  }

  @Test
  void aWorkerIsBackAtTheEndOfASecondWithEnoughJobs() {
    RunCourse course =
        course(
            Map.of(START + 100, 400L, START + 1_099, 449L, START + 1_100, 400L, START + 1_500, 1L));
    WorkerRestart comeback = WorkerRestart.of(course, START, 0, 1_000, 5, 7);
    assertThat(comeback.firstMillis()).isEqualTo(100);
    assertThat(comeback.fastMillis()).as("449 + 400 + 1").isEqualTo(1_500);
    assertThat(comeback.isInTime()).isTrue();
  }

  @Test
  void jobsThatWereNotRunAreNotInTime() {
    WorkerRestart comeback =
        WorkerRestart.of(course(Map.of(START + 1, 29L)), START, 0, 1_000, 5, 7);
    assertThat(comeback.firstMillis()).isEqualTo(-1);
    assertThat(comeback.isInTime()).isFalse();
  }

  @Test
  void roundWithTooFewDeadRowsIsVoidHoweverFastItWas() {
    RunCourse course = course(Map.of(START + 100, 900L));
    WorkerRestart comeback = WorkerRestart.of(course, START, 0, 1_000, 8, 7);
    assertThat(comeback.isInTime()).isFalse();
    assertThat(comeback.verdict()).contains("void").contains("8");
    assertThat(WorkerRestart.of(course, START, 0, 1_000, 7, 7).isInTime()).isTrue();
  }
}
