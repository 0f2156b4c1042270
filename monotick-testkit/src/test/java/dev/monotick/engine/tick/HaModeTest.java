package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.testkit.SimulatedCluster.Run;
import dev.monotick.tick.SkipReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which replicas run a tick. */
class HaModeTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private static TaskBuilder each(Duration interval, HaMode mode) {
    return Task.named("task").every(interval).mode(mode);
  }

  private static SimulatedCluster cluster(int replicas, HaMode mode) {
    return SimulatedCluster.builder()
        .replicas(replicas)
        .task(r -> each(SECOND, mode).run(c -> {}))
        .start();
  }

  private static Map<String, Long> runsByReplica(SimulatedCluster cluster) {
    return cluster.runs().stream()
        .collect(Collectors.groupingBy(Run::replica, Collectors.counting()));
  }

  @Test
  void everyReplicaRunsEveryTick() {
    try (SimulatedCluster cluster = cluster(3, HaMode.EVERY_REPLICA)) {
      cluster.advance(Duration.ofSeconds(10));
      assertThat(runsByReplica(cluster))
          .isEqualTo(Map.of("replica-0", 10L, "replica-1", 10L, "replica-2", 10L));
    }
  }

  @Test
  void everyReplicaRunsOnWithoutTheStore() {
    try (SimulatedCluster cluster = cluster(2, HaMode.EVERY_REPLICA)) {
      cluster.partition(0);
      cluster.advance(Duration.ofSeconds(10));
      assertThat(runsByReplica(cluster)).isEqualTo(Map.of("replica-0", 10L, "replica-1", 10L));
    }
  }

  @Test
  void onlyTheLeaderRunsLeaderTicks() {
    try (SimulatedCluster cluster = cluster(3, HaMode.LEADER)) {
      cluster.advance(Duration.ofSeconds(10));
      String leader = "replica-" + cluster.leader("default").orElseThrow();
      assertThat(runsByReplica(cluster)).isEqualTo(Map.of(leader, 10L));
    }
  }

  @Test
  void oneReplicaTicksAreSpreadEvenly() {
    try (SimulatedCluster cluster = cluster(3, HaMode.ONE_REPLICA)) {
      cluster.advance(Duration.ofMinutes(50));
      assertThat(cluster.runs()).hasSize(3_000);
      assertThat(runsByReplica(cluster).values()).hasSize(3).allMatch(n -> n > 900 && n < 1_100);
      assertThat(cluster.runs()).allMatch(run -> run.lateness().isZero());
    }
  }

  @Test
  void otherReplicasTakeOverTheTicksOfOneThatIsDead() {
    try (SimulatedCluster cluster = cluster(3, HaMode.ONE_REPLICA)) {
      cluster.advance(Duration.ofSeconds(100));
      cluster.crash(0);
      cluster.advance(Duration.ofSeconds(100));
      assertThat(cluster.runs().stream().map(Run::tick)).hasSize(200).doesNotHaveDuplicates();
      assertThat(cluster.runs()).allMatch(run -> run.lateness().toMillis() <= 500);
      // Once the dead one is known to be gone nobody waits for it.
      assertThat(cluster.runs().subList(110, 200)).allMatch(run -> run.lateness().isZero());
    }
  }

  @Test
  void replicaWithoutTheTaskIsNoCandidateForIt() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(
                r ->
                    Task.named(r.equals("replica-0") ? "task" : "other")
                        .every(SECOND)
                        .mode(HaMode.ONE_REPLICA)
                        .run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofSeconds(100));
      assertThat(cluster.runs()).hasSize(200).allMatch(run -> run.lateness().isZero());
    }
  }

  @Test
  void sharedBodyIsToldItsFreeSlotsAndOccupiesThem() {
    List<Integer> free = new ArrayList<>();
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    each(SECOND, HaMode.SHARED)
                        .slots(3)
                        .run(
                            c -> {
                              free.add(c.freeSlots());
                              c.runInSlot(slot -> slot.sleep(Duration.ofMillis(2_500)));
                            }))
            .start()) {
      cluster.advance(Duration.ofSeconds(2));
      assertThat(free).startsWith(3, 2);
    }
  }

  @Test
  void sharedTickWithoutFreeSlotIsSkipped() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    each(SECOND, HaMode.SHARED)
                        .run(c -> c.runInSlot(slot -> slot.sleep(Duration.ofMillis(1_500)))))
            .start()) {
      cluster.advance(Duration.ofSeconds(3));
      assertThat(cluster.runs().stream().map(run -> run.tick().nominal().getEpochSecond() % 60))
          .containsExactly(1L, 3L);
      assertThat(cluster.replica(0).history("task", 10))
          .anyMatch(row -> row.reason() == SkipReason.OVERLAP);
    }
  }

  @Test
  void sharedBodyCannotTakeMoreSlotsThanThereAre() {
    List<Throwable> refusals = new ArrayList<>();
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    each(SECOND, HaMode.SHARED)
                        .run(
                            c -> {
                              c.runInSlot(slot -> {});
                              try {
                                c.runInSlot(slot -> {});
                              } catch (IllegalStateException e) {
                                refusals.add(e);
                              }
                            }))
            .start()) {
      cluster.advance(SECOND);
      assertThat(refusals).hasSize(1);
      assertThat(refusals.get(0)).hasMessageContaining("no slot is free (slots=1)");
    }
  }

  @Test
  void taskWithoutModeIsRefused() {
    assertThatThrownBy(() -> Task.named("task").every(SECOND).run(c -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("task task: mode is missing")
        .hasMessageContaining("EVERY_REPLICA, LEADER, ONE_REPLICA, SHARED");
  }

  @Test
  void twoGroupsMayHaveTwoLeaders() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(r -> each(SECOND, HaMode.LEADER).group("red").run(c -> {}))
            .task(r -> Task.named("b").every(SECOND).mode(HaMode.LEADER).group("blue").run(c -> {}))
            .start()) {
      cluster.advance(SECOND);
      int red = cluster.leader("red").orElseThrow();
      cluster.replica(red).resign("red");
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.leader("red")).isPresent().isNotEqualTo(cluster.leader("blue"));
      cluster.advance(Duration.ofSeconds(10));
      assertThat(
              cluster.runs().subList(30, 40).stream()
                  .map(run -> run.tick().task() + run.replica())
                  .collect(Collectors.toSet()))
          .isEqualTo(Set.of("b" + "replica-" + red, "task" + "replica-" + (1 - red)));
    }
  }
}
