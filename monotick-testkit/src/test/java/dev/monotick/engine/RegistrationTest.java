package dev.monotick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.engine.tick.Rows;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RegistrationTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Task task(String name, HaMode mode) {
    return Task.named(name).every(MINUTE).mode(mode).run(c -> {});
  }

  @ParameterizedTest
  @EnumSource
  void taskRegisteredAfterStartRuns(HaMode mode) {
    try (var cluster = SimulatedCluster.builder().replicas(2).start()) {
      cluster.advance(Duration.ofSeconds(30));
      cluster.register(0, task("late", mode));
      cluster.advance(Duration.ofMinutes(2));
      assertThat(Rows.started(cluster, "late")).hasSize(2);
    }
  }

  @Test
  void taskRegisteredWhileTheStoreIsOutOfReachRunsWhenItIsBack() {
    try (var cluster = SimulatedCluster.builder().replicas(1).start()) {
      cluster.partition(0);
      cluster.register(0, task("late", HaMode.LEADER));
      cluster.advance(Duration.ofMinutes(2));
      assertThat(cluster.runs()).isEmpty();
      cluster.heal(0);
      cluster.advance(Duration.ofMinutes(2));
      assertThat(Rows.started(cluster, "late")).isNotEmpty();
    }
  }

  @Test
  void nameThatIsTakenIsRefusedAndTheFirstTaskStays() {
    try (var cluster =
        SimulatedCluster.builder().replicas(1).task(r -> task("t", HaMode.LEADER)).start()) {
      assertThatThrownBy(() -> cluster.replica(0).register(task("t", HaMode.ONE_REPLICA)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("task name \"t\" is taken; names are unique, choose another");
      assertThat(cluster.replica(0).tasks()).hasSize(1);
      cluster.advance(Duration.ofSeconds(90));
      assertThat(cluster.runs()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void changedScheduleBeginsNow(HaMode mode) {
    AtomicReference<Duration> every = new AtomicReference<>(Duration.ofHours(1));
    try (var cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    Task.named("t")
                        .every(every.get())
                        .mode(mode)
                        .catchUp(CatchUp.all(100))
                        .run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofMinutes(90));
      every.set(MINUTE);
      cluster.stop(0);
      cluster.restart(0);
      cluster.advance(Duration.ofSeconds(150));
      assertThat(Rows.started(cluster, "t"))
          .containsExactly(
              FakeTime.START.plus(Duration.ofHours(1)),
              FakeTime.START.plus(Duration.ofMinutes(91)),
              FakeTime.START.plus(Duration.ofMinutes(92)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void fixedDelayCountsFromTheStoredEndOnAnotherReplicaToo(HaMode mode) {
    try (var cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(
                r ->
                    Task.named("t")
                        .fixedDelay(Duration.ofMinutes(10))
                        .mode(mode)
                        .run(c -> c.sleep(MINUTE)))
            .start()) {
      cluster.advance(Duration.ofMinutes(12)); // ran from 10:00 to 11:00
      assertThat(cluster.runs()).hasSize(1);
      cluster.crash(cluster.runs().get(0).replica().equals("replica-0") ? 0 : 1);
      cluster.advance(Duration.ofMinutes(12));
      assertThat(cluster.runs()).hasSize(2);
      assertThat(cluster.runs().get(1).replica()).isNotEqualTo(cluster.runs().get(0).replica());
      assertThat(cluster.runs().get(1).at())
          .isBetween(
              FakeTime.START.plus(Duration.ofMinutes(21)),
              FakeTime.START.plus(Duration.ofMinutes(21)).plusSeconds(5));
    }
  }

  @Test
  void secondScheduleIsRefused() {
    assertThatThrownBy(() -> Task.named("report").every(MINUTE).cron("0 3 * * *"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "task report: the schedule is already "
                + Schedule.every(MINUTE)
                + ", so "
                + Schedule.cron("0 3 * * *")
                + " cannot be set too; keep one of them, or combine both by"
                + " Schedule.every(..).or(Schedule.cron(..))");
    assertThatThrownBy(() -> Task.named("report").cron("0 3 * * *").fixedDelay(MINUTE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Task.named("report").every(MINUTE).every(MINUTE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
