package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.LeaseTiming;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulatedClusterTest {

  private static final LeaseTiming HOURS =
      new LeaseTiming(
          Duration.ofHours(4),
          Duration.ofMinutes(60),
          Duration.ofMinutes(20),
          Duration.ofMinutes(40));

  @ParameterizedTest
  @EnumSource(
      value = HaMode.class,
      names = {"LEADER", "ONE_REPLICA"})
  void yearOfDailyTicksOverHundredLeaderChangesRunsEachOnce(HaMode mode) {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(3)
            .leaseTiming(HOURS)
            .task(r -> Task.named("daily").every(Duration.ofDays(1)).mode(mode).run(c -> {}))
            .task(
                r -> Task.named("lead").every(Duration.ofDays(30)).mode(HaMode.LEADER).run(c -> {}))
            .start()) {
      int changes = 0;
      for (int day = 0; day < 365; day++) {
        cluster.advance(Duration.ofHours(5));
        if (day % 3 == 0) {
          int leader = cluster.leader("default").orElseThrow();
          cluster.crash(leader);
          cluster.advance(Duration.ofHours(8));
          assertThat(cluster.leader("default")).isPresent().isNotEqualTo(leader);
          cluster.restart(leader);
          changes++;
          cluster.advance(Duration.ofHours(11));
        } else {
          cluster.advance(Duration.ofHours(19));
        }
      }
      List<Instant> expected =
          IntStream.rangeClosed(1, 365)
              .mapToObj(day -> FakeTime.START.plus(Duration.ofDays(day)))
              .toList();
      assertThat(changes).isGreaterThanOrEqualTo(100);
      assertThat(
              cluster.runs().stream()
                  .filter(run -> run.tick().task().equals("daily"))
                  .map(run -> run.tick().nominal()))
          .containsExactlyElementsOf(expected);
    }
  }
}
