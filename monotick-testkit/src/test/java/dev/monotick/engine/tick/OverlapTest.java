package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.engine.observe.CapturedLog;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

/**
 * Ticks that find the run before them not ended: the first one of a task that is due each second
 * takes 3.5 seconds. On one replica, and where tick 2 is another replica's than tick 1.
 */
class OverlapTest {

  private final List<String> began = new ArrayList<>();

  private static SimulatedCluster cluster(int replicas, long seed, Overlap overlap, TaskBody body) {
    return SimulatedCluster.builder()
        .replicas(replicas)
        .seed(seed)
        .task(
            r ->
                Task.named("task")
                    .every(Duration.ofSeconds(1))
                    .mode(HaMode.ONE_REPLICA)
                    .effect(Effect.AT_LEAST_ONCE)
                    .overlap(overlap)
                    .run(body))
        .start();
  }

  private SimulatedCluster cluster(int replicas, Overlap overlap) {
    long seed = 1;
    while (replicas > 1 && !secondTickIsOfAnotherReplica(seed)) {
      seed++;
    }
    return cluster(
        replicas,
        seed,
        overlap,
        c -> {
          began.add(second(c.nominalTime().getEpochSecond()));
          if (second(c.nominalTime().getEpochSecond()).equals("1")) {
            c.sleep(Duration.ofMillis(3_500));
          }
        });
  }

  private static boolean secondTickIsOfAnotherReplica(long seed) {
    try (SimulatedCluster trial = cluster(2, seed, Overlap.SKIP, c -> {})) {
      trial.advance(Duration.ofSeconds(2));
      return !trial.runs().get(0).replica().equals(trial.runs().get(1).replica());
    }
  }

  private static String second(long epochSecond) {
    return String.valueOf(epochSecond - FakeTime.START.getEpochSecond());
  }

  private static Map<String, Outcome> outcomes(SimulatedCluster cluster) {
    Map<String, Outcome> outcomes = new TreeMap<>();
    for (TickRecord row : cluster.store().ledger().history("task", 100)) {
      assertThat(row.count()).isEqualTo(1);
      Outcome outcome = row.outcome();
      assertThat(outcome).isNotNull();
      outcomes.put(second(row.tick().nominal().getEpochSecond()), outcome);
    }
    return outcomes;
  }

  private static long skipped(SimulatedCluster cluster, int replicas) {
    long skipped = 0;
    for (int i = 0; i < replicas; i++) {
      skipped += cluster.replica(i).tasks().get(0).counts().skipped();
    }
    return skipped;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void skipLeavesTicksOutAndSaysSo(int replicas) {
    try (SimulatedCluster cluster = cluster(replicas, Overlap.SKIP);
        CapturedLog log = CapturedLog.open()) {
      cluster.advance(Duration.ofMillis(5_900));
      assertThat(began).containsExactly("1", "5");
      assertThat(outcomes(cluster))
          .isEqualTo(
              Map.of(
                  "1", Outcome.SUCCEEDED,
                  "2", Outcome.SKIPPED,
                  "3", Outcome.SKIPPED,
                  "4", Outcome.SKIPPED,
                  "5", Outcome.SUCCEEDED));
      assertThat(log.lines(Level.INFO, "still running, skipping tick task=task")).hasSize(3);
      assertThat(skipped(cluster, replicas)).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void queueOneRunsTheFirstThatWaitedWhenTheOtherEnded(int replicas) {
    try (SimulatedCluster cluster = cluster(replicas, Overlap.QUEUE_ONE)) {
      cluster.advance(Duration.ofMillis(5_900));
      assertThat(began).containsExactly("1", "2", "5");
      assertThat(cluster.runs().get(1).lateness()).isLessThan(Duration.ofMillis(2_600));
      assertThat(outcomes(cluster)).containsEntry("2", Outcome.SUCCEEDED);
      assertThat(outcomes(cluster)).containsEntry("3", Outcome.SKIPPED);
      assertThat(outcomes(cluster)).containsEntry("4", Outcome.SKIPPED);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void allowRunsThemSideBySide(int replicas) {
    try (SimulatedCluster cluster = cluster(replicas, Overlap.ALLOW)) {
      cluster.advance(Duration.ofMillis(5_900));
      assertThat(began).containsExactly("1", "2", "3", "4", "5");
      assertThat(cluster.runs()).allMatch(run -> run.lateness().isZero());
      assertThat(outcomes(cluster).values()).containsOnly(Outcome.SUCCEEDED);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void cancelPreviousCancelsItAndRunsWhenItEnded(int replicas) {
    try (SimulatedCluster cluster = cluster(replicas, Overlap.CANCEL_PREVIOUS)) {
      cluster.advance(Duration.ofMillis(5_900));
      assertThat(began).containsExactly("1", "2", "3", "4", "5");
      assertThat(outcomes(cluster)).containsEntry("1", Outcome.CANCELLED);
      assertThat(outcomes(cluster)).containsEntry("2", Outcome.SUCCEEDED);
      // On another replica it is found out with the next heartbeat.
      Duration atMost = replicas == 1 ? Duration.ZERO : Duration.ofMillis(600);
      assertThat(cluster.runs().get(1).lateness()).isLessThanOrEqualTo(atMost);
    }
  }

  @Test
  void runsOfOtherTasksAreNoOverlap() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    Task.named("a")
                        .every(Duration.ofSeconds(1))
                        .mode(HaMode.ONE_REPLICA)
                        .run(c -> c.sleep(Duration.ofMillis(900))))
            .task(
                r -> Task.named("b").every(Duration.ofSeconds(1)).mode(HaMode.LEADER).run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.runs()).hasSize(20).allMatch(run -> run.lateness().isZero());
    }
  }
}
