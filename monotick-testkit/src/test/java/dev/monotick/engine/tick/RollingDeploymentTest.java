package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.engine.observe.CapturedLog;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.testkit.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.event.Level;

/** Two replicas that have registered one task differently, as during a rolling deployment. */
class RollingDeploymentTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String AT_HALF = "30 * * * * *";

  /** What replicas that start from now on register. */
  private final AtomicReference<UnaryOperator<TaskBuilder>> version =
      new AtomicReference<>(task -> task.every(MINUTE).mode(HaMode.ONE_REPLICA));

  private SimulatedCluster cluster() {
    return SimulatedCluster.builder()
        .replicas(2)
        .task(replica -> version.get().apply(Task.named("t")).run(context -> {}))
        .start();
  }

  /** Replaces the second replica by one of the next version, and returns when the first knows. */
  private void deploy(SimulatedCluster cluster, UnaryOperator<TaskBuilder> next) {
    version.set(next);
    cluster.stop(1);
    cluster.restart(1);
    cluster.advance(Duration.ofSeconds(5));
  }

  private static List<SimulatedCluster.Run> since(SimulatedCluster cluster, Instant time) {
    return cluster.runs().stream().filter(run -> !run.at().isBefore(time)).toList();
  }

  private static Instant now(SimulatedCluster cluster) {
    return cluster.scheduler().time().timeSource().now();
  }

  @Test
  void scheduleOfTheReplicaThatStartedLastWins() {
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.ONE_REPLICA));
      Instant deployed = now(cluster);
      cluster.advance(Duration.ofMinutes(5));
      assertThat(since(cluster, deployed))
          .hasSize(5)
          .allSatisfy(
              run -> {
                assertThat(run.tick().nominal().getEpochSecond() % 60).isEqualTo(30);
                assertThat(run.replica()).isEqualTo("replica-1");
              });
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EVERY_REPLICA", "SHARED", "LEADER"})
  void modeOfTheReplicaThatStartedLastWins(HaMode before) {
    version.set(task -> task.every(MINUTE).mode(before));
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      deploy(cluster, task -> task.every(MINUTE).mode(HaMode.ONE_REPLICA));
      Instant deployed = now(cluster);
      cluster.advance(Duration.ofMinutes(5));
      assertThat(since(cluster, deployed))
          .hasSize(5)
          .allSatisfy(run -> assertThat(run.replica()).isEqualTo("replica-1"));
    }
  }

  @Test
  void olderReplicaGoesOnWhenTheNewerOneIsGone() {
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.ONE_REPLICA));
      cluster.advance(Duration.ofMinutes(2));
      cluster.crash(1);
      cluster.advance(Duration.ofMinutes(1));
      Instant gone = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, gone))
          .hasSize(3)
          .allSatisfy(
              run -> {
                assertThat(run.tick().nominal().getEpochSecond() % 60).isZero();
                assertThat(run.replica()).isEqualTo("replica-0");
              });
    }
  }

  @Test
  void triggeredTickRunsByTheRegistrationThatCounts() {
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      deploy(cluster, task -> task.cron("0 0 1 1 *").mode(HaMode.ONE_REPLICA));
      Instant deployed = now(cluster);
      cluster.replica(0).trigger("t");
      cluster.advance(Duration.ofSeconds(20));
      assertThat(since(cluster, deployed))
          .singleElement()
          .satisfies(run -> assertThat(run.replica()).isEqualTo("replica-1"));
    }
  }

  @Test
  void leaderDecidesAmongRegistrationsOfItsGroup() {
    version.set(task -> task.every(MINUTE).mode(HaMode.LEADER));
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      if (cluster.leader("default").orElseThrow() == 1) {
        cluster.stop(1);
        cluster.advance(Duration.ofSeconds(20));
        cluster.restart(1);
        cluster.advance(Duration.ofSeconds(20));
      }
      assertThat(cluster.leader("default")).contains(0);
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.LEADER));
      Instant deployed = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, deployed))
          .isNotEmpty()
          .allSatisfy(
              run -> {
                assertThat(run.tick().nominal().getEpochSecond() % 60).isZero();
                assertThat(run.replica()).isEqualTo("replica-0");
              });
    }
  }

  @Test
  void everyReplicaGoesByItsOwnWhereTicksAreItsOwn() {
    version.set(task -> task.every(MINUTE).mode(HaMode.EVERY_REPLICA));
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.EVERY_REPLICA));
      Instant deployed = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, deployed)).hasSize(6);
    }
  }

  /** Lets a replica lose its membership, and join again under another id. */
  private static void rejoin(SimulatedCluster cluster, int index) {
    cluster.partition(index);
    cluster.advance(Duration.ofMinutes(1));
    cluster.heal(index);
    cluster.advance(Duration.ofSeconds(20));
  }

  @Test
  void olderReplicaThatRejoinedGoesOnWhenTheNewerOneIsGone() {
    try (SimulatedCluster cluster = cluster()) {
      cluster.advance(Duration.ofSeconds(90));
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.ONE_REPLICA));
      rejoin(cluster, 0);
      cluster.crash(1);
      cluster.advance(Duration.ofMinutes(1));
      Instant gone = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, gone))
          .hasSize(3)
          .allSatisfy(run -> assertThat(run.replica()).isEqualTo("replica-0"));
    }
  }

  @Test
  void olderReplicaThatRejoinedLeavesTicksToANewerOne() {
    try (SimulatedCluster cluster = cluster();
        CapturedLog log = CapturedLog.open()) {
      cluster.advance(Duration.ofSeconds(90));
      rejoin(cluster, 0);
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.ONE_REPLICA));
      Instant deployed = now(cluster);
      cluster.advance(Duration.ofMinutes(5));
      assertThat(since(cluster, deployed))
          .hasSize(5)
          .allSatisfy(run -> assertThat(run.replica()).isEqualTo("replica-1"));
      assertThat(log.lines(Level.WARN, "task=t is registered differently")).hasSize(2);
    }
  }

  /** Starts a cluster whose first replica leads both groups, because of other tasks. */
  private SimulatedCluster ledByTheFirst() {
    SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(replica -> version.get().apply(Task.named("t")).run(context -> {}))
            .task(replica -> other("a", Task.DEFAULT_GROUP))
            .task(replica -> other("b", "other"))
            .start();
    cluster.advance(Duration.ofSeconds(90));
    cluster.stop(1);
    cluster.advance(Duration.ofSeconds(30));
    cluster.restart(1);
    cluster.advance(Duration.ofSeconds(20));
    assertThat(cluster.leader(Task.DEFAULT_GROUP)).contains(0);
    assertThat(cluster.leader("other")).contains(0);
    return cluster;
  }

  private static Task other(String name, String group) {
    return Task.named(name).cron("0 0 1 1 *").mode(HaMode.LEADER).group(group).run(context -> {});
  }

  @ParameterizedTest
  @EnumSource(HaMode.class)
  void leaderOfTheNewGroupGoesOnWhenATaskChangesToIt(HaMode before) {
    version.set(task -> task.every(MINUTE).mode(before)); // LEADER: of the default group
    try (SimulatedCluster cluster = ledByTheFirst()) {
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.LEADER).group("other"));
      Instant deployed = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, deployed))
          .hasSize(3)
          .allSatisfy(run -> assertThat(run.replica()).isEqualTo("replica-0"));
      assertThat(cluster.replica(0).tasks())
          .filteredOn(task -> task.task().name().equals("t"))
          .singleElement()
          .satisfies(
              task -> {
                assertThat(task.supersededBy()).isNull();
                assertThat(task.next()).isNotNull();
              });

      cluster.crash(0);
      cluster.advance(Duration.ofMinutes(1));
      assertThat(cluster.leader("other")).contains(1);
      Instant moved = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, moved))
          .hasSize(3)
          .allSatisfy(
              run -> {
                assertThat(run.tick().nominal().getEpochSecond() % 60).isEqualTo(30);
                assertThat(run.replica()).isEqualTo("replica-1");
              });
    }
  }

  @Test
  void leaderOfTheFormerGroupDoesNotRunATaskThatChangedTheGroup() {
    version.set(task -> task.every(MINUTE).mode(HaMode.LEADER));
    try (SimulatedCluster cluster = ledByTheFirst()) {
      deploy(cluster, task -> task.cron(AT_HALF).mode(HaMode.LEADER).group("other"));
      cluster.replica(0).resign("other");
      cluster.advance(Duration.ofSeconds(6));
      assertThat(cluster.leader(Task.DEFAULT_GROUP)).contains(0);
      assertThat(cluster.leader("other")).contains(1);
      Instant resigned = now(cluster);
      cluster.advance(Duration.ofMinutes(3));
      assertThat(since(cluster, resigned))
          .hasSize(3)
          .allSatisfy(run -> assertThat(run.replica()).isEqualTo("replica-1"));
    }
  }

  @Test
  void differenceIsLoggedOnceOnEachReplicaAndNamesTheProperties() {
    try (SimulatedCluster cluster = cluster();
        CapturedLog log = CapturedLog.open()) {
      cluster.advance(Duration.ofSeconds(90));
      assertThat(log.lines(Level.WARN, "task=t")).isEmpty();
      deploy(
          cluster,
          task -> task.cron(AT_HALF).mode(HaMode.ONE_REPLICA).timeout(Duration.ofSeconds(9)));
      cluster.advance(Duration.ofMinutes(5));
      assertThat(log.lines(Level.WARN, "task=t"))
          .containsExactlyInAnyOrder(
              "WARN task=t is registered differently: schedule is \""
                  + Schedule.every(MINUTE)
                  + "\" here and \""
                  + Schedule.cron(AT_HALF)
                  + "\" on replica-1, timeout is \"PT2M\" here and \"PT9S\" on replica-1; this"
                  + " replica leaves its ticks to replica-1, which started later",
              "WARN task=t is registered differently: schedule is \""
                  + Schedule.cron(AT_HALF)
                  + "\" here and \""
                  + Schedule.every(MINUTE)
                  + "\" on replica-0, timeout is \"PT9S\" here and \"PT2M\" on replica-0; this"
                  + " replica goes by its own registration");
    }
  }
}
