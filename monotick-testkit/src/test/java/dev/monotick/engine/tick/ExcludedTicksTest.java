package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.schedule.ExclusionCalendar;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExcludedTicksTest {

  @Test
  void daysThatCalendarTakesAwayAreRecordedAsExcluded() {
    Schedule schedule =
        Schedule.cron("0 12 * * *")
            .except(ExclusionCalendar.range(LocalDate.of(2026, 1, 3), LocalDate.of(2026, 1, 5)));
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .task(r -> Task.named("t").schedule(schedule).mode(HaMode.ONE_REPLICA).run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofDays(7));
      List<TickRecord> rows = cluster.replica(0).history("t", 100);
      assertThat(rows.stream().filter(row -> row.reason() == SkipReason.EXCLUDED))
          .singleElement()
          .satisfies(row -> assertThat(row.count()).isEqualTo(3));
      assertThat(rows.stream().filter(row -> row.outcome() == Outcome.SUCCEEDED)).hasSize(4);
      assertThat(rows.stream().mapToLong(TickRecord::count).sum()).isEqualTo(7);
    }
  }

  @Test
  void missedAndExcludedDaysOfAnOutageAreToldApart() {
    Schedule schedule =
        Schedule.cron("0 12 * * *")
            .except(ExclusionCalendar.range(LocalDate.of(2026, 1, 4), LocalDate.of(2026, 1, 5)));
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(r -> Task.named("t").schedule(schedule).mode(HaMode.LEADER).run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofDays(1)); // runs on the 1st
      cluster.crash(0);
      cluster.advance(Duration.ofDays(7));
      cluster.restart(0);
      cluster.advance(Duration.ofHours(1)); // the 9th, before noon: the 8th is caught up
      List<TickRecord> rows = cluster.replica(0).history("t", 100);
      assertThat(count(rows, Outcome.MISSED)).isEqualTo(4); // 2nd, 3rd, 6th, 7th
      assertThat(count(rows, Outcome.SKIPPED)).isEqualTo(2); // 4th, 5th
      assertThat(count(rows, Outcome.SUCCEEDED)).isEqualTo(2); // 1st, 8th
    }
  }

  private static long count(List<TickRecord> rows, Outcome outcome) {
    return rows.stream().filter(row -> row.outcome() == outcome).mapToLong(TickRecord::count).sum();
  }
}
