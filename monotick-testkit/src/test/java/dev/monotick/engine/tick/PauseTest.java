package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.event.MonotickEvent;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PauseTest {

  private static final Instant START = FakeTime.START;

  private static SimulatedCluster cluster(HaMode mode) {
    return SimulatedCluster.builder()
        .replicas(3)
        .task(
            r ->
                Task.named("t")
                    .every(Duration.ofMinutes(1))
                    .mode(mode)
                    .catchUp(CatchUp.all(100))
                    .run(c -> {}))
        .start();
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void pauseAndResumeFromAnyReplicaHoldForAllWithoutABurst(HaMode mode) {
    try (var cluster = cluster(mode)) {
      List<MonotickEvent> events = new ArrayList<>();
      cluster.replica(1).subscribe(events::add);
      cluster.advance(Duration.ofSeconds(90));
      cluster.replica(0).pause("t", "ann", "maintenance");
      cluster.advance(Duration.ofMinutes(10)); // 11:30
      assertThat(cluster.runs()).hasSize(1);
      cluster.replica(1).resume("t");
      cluster.advance(Duration.ofMinutes(2)); // 13:30
      assertThat(Rows.started(cluster, "t"))
          .containsExactly(
              START.plusSeconds(60), START.plusSeconds(12 * 60), START.plusSeconds(13 * 60));
      TickRecord gap = Rows.of(cluster, "t").get(1);
      assertThat(gap.reason()).isEqualTo(SkipReason.PAUSED);
      assertThat(gap.count()).isEqualTo(10);
      assertThat(Rows.total(cluster, "t")).isEqualTo(13);
      assertThat(events).contains(new MonotickEvent.TaskResumed("t"));
      assertThat(events.stream().filter(MonotickEvent.TicksNotRun.class::isInstance)).hasSize(1);
      assertThat(cluster.replica(1).tasks().get(0).counts().skipped()).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void pauseOutlivesAllReplicas(HaMode mode) {
    try (var cluster = cluster(mode)) {
      cluster.replica(0).pause("t", "ann", "maintenance");
      Rows.crashAll(cluster, 3);
      cluster.advance(Duration.ofMinutes(3));
      Rows.restartAll(cluster, 3);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(cluster.runs()).isEmpty();
      assertThat(cluster.replica(2).tasks().get(0).paused()).isEqualTo("maintenance (ann)");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EVERY_REPLICA", "SHARED"})
  void pauseOfLocalTasksHoldsForOneReplica(HaMode mode) {
    try (var cluster = cluster(mode)) {
      cluster.replica(0).pause("t", "ann", "maintenance");
      cluster.advance(Duration.ofSeconds(90));
      assertThat(cluster.runs()).hasSize(2).noneMatch(run -> run.replica().equals("replica-0"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void resumeOfATaskThatIsNotPausedDoesNothing(HaMode mode) {
    try (var cluster = cluster(mode)) {
      cluster.replica(0).resume("t");
      cluster.advance(Duration.ofSeconds(90));
      assertThat(cluster.runs()).hasSize(mode.isExclusive() ? 1 : 3);
    }
  }
}
