package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ticks of a task begin in the order of their nominal times, and of an outage the latest tick runs.
 * The task is due every two seconds; the outage lasts from 25.9 s to about 56 s.
 */
class TickOrderTest {

  private static final Duration BEFORE = Duration.ofMillis(25_990);
  private static final Duration OUTAGE = Duration.ofSeconds(30);
  private static final Instant LATEST = second(54);

  private static Instant second(int seconds) {
    return FakeTime.START.plusSeconds(seconds);
  }

  private static SimulatedCluster cluster(
      int replicas, HaMode mode, Duration body, UnaryOperator<TaskBuilder> more) {
    return SimulatedCluster.builder()
        .replicas(replicas)
        .task(
            r ->
                more.apply(Task.named("t").every(Duration.ofSeconds(2)).mode(mode))
                    .run(c -> c.sleep(body)))
        .start();
  }

  static List<Arguments> clusters() {
    List<Arguments> all = new ArrayList<>();
    for (int replicas : new int[] {1, 3}) {
      for (HaMode mode : new HaMode[] {HaMode.LEADER, HaMode.ONE_REPLICA}) {
        for (int bodyMillis : new int[] {0, 700}) {
          all.add(Arguments.of(replicas, mode, Duration.ofMillis(bodyMillis)));
        }
      }
    }
    return all;
  }

  /** No replica reaches the store, from just before a tick on. */
  private static void storeOutage(SimulatedCluster cluster, int replicas) {
    cluster.advance(BEFORE);
    for (int i = 0; i < replicas; i++) {
      cluster.partition(i);
    }
    cluster.advance(OUTAGE);
    for (int i = 0; i < replicas; i++) {
      cluster.heal(i);
    }
    cluster.advance(Duration.ofSeconds(60));
  }

  /** All replicas die while a tick runs, and others are started later. */
  private static void crashOfAll(SimulatedCluster cluster, int replicas) {
    cluster.advance(Duration.ofMillis(26_100));
    Rows.crashAll(cluster, replicas);
    cluster.advance(OUTAGE);
    Rows.restartAll(cluster, replicas);
    cluster.advance(Duration.ofSeconds(60));
  }

  private static List<Instant> startedFrom(SimulatedCluster cluster, Instant first) {
    return Rows.started(cluster, "t").stream().filter(tick -> !tick.isBefore(first)).toList();
  }

  private static void requireAllInOrder(SimulatedCluster cluster) {
    List<Instant> started = Rows.started(cluster, "t");
    for (int i = 0; i < started.size(); i++) {
      assertThat(started.get(i)).isEqualTo(second(2 * (i + 1)));
    }
    assertThat(started).hasSizeGreaterThan(50);
  }

  /**
   * A tick is skipped only if a body ran when it was due: not one that is over, or was due later.
   */
  private static void requireTrueOverlaps(SimulatedCluster cluster, Duration body) {
    for (TickRecord row : Rows.of(cluster, "t")) {
      if (row.reason() == SkipReason.OVERLAP) {
        Instant due = row.tick().nominal();
        assertThat(row.count()).isEqualTo(1);
        assertThat(cluster.runs())
            .as("what ran at %s", due)
            .anyMatch(run -> !run.at().isAfter(due) && !run.at().plus(body).isBefore(due));
      }
    }
  }

  /** The newest tick of the outage runs; older ones are missed, not skipped. */
  private static void requireLatestOnly(SimulatedCluster cluster, Duration body) {
    assertThat(Rows.started(cluster, "t")).isSorted().doesNotHaveDuplicates();
    List<Instant> after = startedFrom(cluster, second(26));
    assertThat(after.get(0)).isAfterOrEqualTo(LATEST);
    requireTrueOverlaps(cluster, body);
    assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isGreaterThanOrEqualTo(14);
  }

  @ParameterizedTest
  @MethodSource("clusters")
  void allTicksOfAnOutageRunInOrder(int replicas, HaMode mode, Duration body) {
    try (var cluster = cluster(replicas, mode, body, t -> t.catchUp(CatchUp.all(100)))) {
      storeOutage(cluster, replicas);
      requireAllInOrder(cluster);
    }
  }

  @ParameterizedTest
  @MethodSource("clusters")
  void latestTickOfAnOutageRunsAndNoOlderOne(int replicas, HaMode mode, Duration body) {
    try (var cluster = cluster(replicas, mode, body, t -> t)) {
      storeOutage(cluster, replicas);
      requireLatestOnly(cluster, body);
    }
  }

  @ParameterizedTest
  @MethodSource("clusters")
  void latestTickOfAnOutageRunsWhereAnotherMayWait(int replicas, HaMode mode, Duration body) {
    try (var cluster = cluster(replicas, mode, body, t -> t.overlap(Overlap.QUEUE_ONE))) {
      storeOutage(cluster, replicas);
      requireLatestOnly(cluster, body);
    }
  }

  @ParameterizedTest
  @MethodSource("clusters")
  void tickOfADeadReplicaRunsAgainBeforeNewerOnes(int replicas, HaMode mode, Duration body) {
    try (var cluster =
        cluster(
            replicas,
            mode,
            body.plusMillis(300),
            t -> t.effect(Effect.AT_LEAST_ONCE).catchUp(CatchUp.all(100)))) {
      crashOfAll(cluster, replicas);
      List<Instant> started = new ArrayList<>(Rows.started(cluster, "t"));
      assertThat(started.get(12)).isEqualTo(second(26));
      assertThat(started.get(13)).as("once more").isEqualTo(second(26));
      started.remove(13);
      for (int i = 0; i < started.size(); i++) {
        assertThat(started.get(i)).isEqualTo(second(2 * (i + 1)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("clusters")
  void latestTickRunsAfterOneOfADeadReplica(int replicas, HaMode mode, Duration body) {
    for (Effect effect : new Effect[] {Effect.AT_MOST_ONCE, Effect.AT_LEAST_ONCE}) {
      try (var cluster = cluster(replicas, mode, body.plusMillis(300), t -> t.effect(effect))) {
        crashOfAll(cluster, replicas);
        assertThat(Rows.started(cluster, "t")).isSorted();
        assertThat(Rows.started(cluster, "t").stream().filter(second(26)::equals))
            .hasSize(effect == Effect.AT_LEAST_ONCE ? 2 : 1);
        assertThat(startedFrom(cluster, second(28)).get(0)).isBefore(second(60));
        requireTrueOverlaps(cluster, body.plusMillis(300));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void tickThatAStoppedReplicaGaveBackIsMissedIfNewerOnesAreDue(HaMode mode) {
    try (var cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    Task.named("t")
                        .every(Duration.ofMinutes(1))
                        .mode(mode)
                        .overlap(Overlap.QUEUE_ONE)
                        .run(c -> c.sleep(Duration.ofSeconds(90))))
            .start()) {
      cluster.advance(Duration.ofSeconds(125)); // the tick of minute 2 waits
      cluster.crash(0);
      cluster.advance(Duration.ofMinutes(10));
      cluster.restart(0);
      cluster.advance(Duration.ofSeconds(30)); // 12:35
      assertThat(Rows.started(cluster, "t")).containsExactly(second(60), second(720));
      assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isEqualTo(10);
    }
  }

  @Test
  void triggeredTickRunsBesideTheOrder() {
    try (var cluster =
        cluster(1, HaMode.LEADER, Duration.ofMillis(700), t -> t.catchUp(CatchUp.all(100)))) {
      cluster.advance(BEFORE);
      cluster.partition(0);
      cluster.advance(OUTAGE);
      cluster.heal(0);
      cluster.advance(Duration.ofSeconds(9));
      cluster.replica(0).trigger("t", "now");
      cluster.advance(Duration.ofSeconds(60));
      assertThat(cluster.runs().stream().filter(run -> run.tick().isTriggered())).hasSize(1);
      assertThat(
              cluster.runs().stream()
                  .filter(run -> !run.tick().isTriggered())
                  .map(run -> run.tick().nominal()))
          .isSorted()
          .doesNotHaveDuplicates()
          .hasSizeGreaterThan(50);
    }
  }
}
