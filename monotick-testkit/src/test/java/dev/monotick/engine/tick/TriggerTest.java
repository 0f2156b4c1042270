package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TriggerTest {

  private static SimulatedCluster cluster(HaMode mode, TaskBody body) {
    SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(3)
            .task(r -> Task.named("t").every(Duration.ofHours(1)).mode(mode).run(body))
            .start();
    cluster.advance(Duration.ofSeconds(5));
    return cluster;
  }

  @Test
  void triggerOnAFollowerRunsOnTheLeaderAtOnce() {
    try (var cluster = cluster(HaMode.LEADER, c -> {})) {
      int leader = cluster.leader("default").orElseThrow();
      TickId tick = cluster.replica((leader + 1) % 3).trigger("t");
      cluster.scheduler().runDue();
      assertThat(cluster.runs()).hasSize(1);
      assertThat(cluster.runs().get(0).replica()).isEqualTo("replica-" + leader);
      assertThat(cluster.runs().get(0).tick()).isEqualTo(tick);
      assertThat(Rows.of(cluster, "t").get(0).outcome()).isEqualTo(Outcome.SUCCEEDED);
    }
  }

  @ParameterizedTest
  @EnumSource
  void sameKeyRunsOnceAndNamesTheSameTick(HaMode mode) {
    try (var cluster = cluster(mode, c -> {})) {
      TickId first = cluster.replica(0).trigger("t", "order-7");
      cluster.advance(Duration.ofSeconds(2));
      TickId again = cluster.replica(0).trigger("t", "order-7");
      cluster.advance(Duration.ofSeconds(2));
      assertThat(again).isEqualTo(first);
      assertThat(cluster.runs()).hasSize(1);
      cluster.replica(0).trigger("t", "order-8");
      cluster.advance(Duration.ofSeconds(2));
      assertThat(cluster.runs()).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void triggerWaitsWhileARunIsOpen(HaMode mode) {
    try (var cluster = cluster(mode, c -> c.sleep(Duration.ofSeconds(30)))) {
      cluster.replica(1).trigger("t", "a");
      cluster.replica(1).trigger("t", "b");
      cluster.advance(Duration.ofSeconds(70));
      assertThat(cluster.runs()).hasSize(2);
      assertThat(Duration.between(cluster.runs().get(0).at(), cluster.runs().get(1).at()))
          .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(32));
    }
  }

  @ParameterizedTest
  @EnumSource
  void triggerWorksWhilePausedAndEndsNoPause(HaMode mode) {
    try (var cluster = cluster(mode, c -> {})) {
      cluster.replica(0).pause("t", "ann", "maintenance");
      cluster.replica(0).trigger("t");
      cluster.advance(Duration.ofSeconds(2));
      assertThat(cluster.runs()).hasSize(1);
      assertThat(cluster.replica(0).tasks().get(0).paused()).isEqualTo("maintenance (ann)");
    }
  }

  @ParameterizedTest
  @EnumSource
  void taskCanBeTriggeredRightAfterItsRegistration(HaMode mode) {
    try (var cluster = cluster(mode, c -> {})) {
      for (int i = 0; i < 3; i++) {
        cluster.register(i, Task.named("new").every(Duration.ofHours(1)).mode(mode).run(c -> {}));
      }
      cluster.replica(1).trigger("new");
      cluster.advance(Duration.ofSeconds(2));
      assertThat(Rows.started(cluster, "new")).hasSize(1);
    }
  }

  @Test
  void triggerOfEveryReplicaRunsOnTheReplicaThatWasAsked() {
    try (var cluster = cluster(HaMode.EVERY_REPLICA, c -> {})) {
      cluster.replica(2).trigger("t");
      cluster.advance(Duration.ofSeconds(2));
      assertThat(cluster.runs()).hasSize(1);
      assertThat(cluster.runs().get(0).replica()).isEqualTo("replica-2");
    }
  }

  @Test
  void unknownTaskAndBadKeyAreRefused() {
    try (var cluster = cluster(HaMode.LEADER, c -> {})) {
      assertThatThrownBy(() -> cluster.replica(0).trigger("tt"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("no task is named \"tt\"; did you mean t?");
      assertThatThrownBy(() -> cluster.replica(0).trigger("t", " "))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("trigger key must be 1 to 200 characters");
    }
  }
}
