package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.event.MonotickEvent;
import dev.monotick.event.MonotickEvent.BodyStuck;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.task.TaskContext;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bodies that take too long. */
class TimeoutTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final List<SimulatedCluster> self = new ArrayList<>();
  private final List<Duration> ended = new ArrayList<>();
  private final List<MonotickEvent> events = new ArrayList<>();

  private SimulatedCluster cluster(Duration timeout, TaskBody body) {
    SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    Task.named("task")
                        .every(MINUTE)
                        .mode(HaMode.ONE_REPLICA)
                        .backoff(Backoff.none())
                        .timeout(timeout)
                        .run(body))
            .start();
    self.add(cluster);
    cluster.replica(0).subscribe(events::add);
    return cluster;
  }

  private Instant now() {
    return self.get(0).scheduler().time().now();
  }

  private void sleepTooLong(TaskContext context) throws InterruptedException {
    try {
      context.sleep(Duration.ofHours(1));
    } finally {
      ended.add(Duration.between(context.nominalTime(), now()));
    }
  }

  private static TickRecord oldest(SimulatedCluster cluster) {
    List<TickRecord> rows = cluster.store().ledger().history("task", 100);
    return rows.get(rows.size() - 1);
  }

  @Test
  void bodyIsCancelledAfterTwoMinutesIfNothingElseIsSaid() {
    try (SimulatedCluster cluster = cluster(Task.DEFAULT_TIMEOUT, this::sleepTooLong)) {
      cluster.advance(MINUTE);
      cluster.scheduler().runDue();
      assertThat(Task.named("x").every(MINUTE).mode(HaMode.LEADER).run(c -> {}).timeout())
          .isEqualTo(Duration.ofMinutes(2));
      assertThat(ended).containsExactly(Duration.ofMinutes(2));
      assertThat(oldest(cluster).outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(oldest(cluster).detail()).contains("PT2M");
    }
  }

  @Test
  void timedOutTickIsToldAndCountedOnceAndIsFailure() {
    try (SimulatedCluster cluster = cluster(Duration.ofSeconds(5), this::sleepTooLong)) {
      cluster.advance(MINUTE);
      cluster.advance(Duration.ofSeconds(10));
      assertThat(ended).containsExactly(Duration.ofSeconds(5));
      assertThat(events).filteredOn(MonotickEvent.TickEnded.class::isInstance).hasSize(1);
      assertThat(cluster.replica(0).tasks().get(0).counts().timedOut()).isEqualTo(1);
      assertThat(cluster.store().ledger().states(List.of("task")).get(0).failures()).isEqualTo(1);
    }
  }

  @Test
  void bodyThatSwallowsItsCancellationHasTimedOutAllTheSame() {
    try (SimulatedCluster cluster =
        cluster(
            Duration.ofSeconds(5),
            c -> {
              try {
                c.sleep(MINUTE);
              } catch (InterruptedException e) {
                // and returns as if all were well
              }
            })) {
      cluster.advance(MINUTE.plusSeconds(10));
      assertThat(oldest(cluster).outcome()).isEqualTo(Outcome.TIMED_OUT);
    }
  }

  @Test
  void bodyThatIgnoresItsCancellationIsReportedAndItsTaskStaysOccupied() {
    List<Integer> open = new ArrayList<>();
    try (SimulatedCluster cluster =
        cluster(
            Duration.ofSeconds(5),
            c -> {
              if (open.isEmpty()) {
                self.get(0).advance(Duration.ofSeconds(150)); // whatever it is told
                open.add(self.get(0).store().ledger().states(List.of("task")).get(0).open());
                assertThat(oldest(self.get(0)).outcome()).isEqualTo(Outcome.TIMED_OUT);
              }
            })) {
      cluster.advance(Duration.ofMinutes(4).plusSeconds(1));
      assertThat(open).containsExactly(1);
      assertThat(events)
          .filteredOn(BodyStuck.class::isInstance)
          .extracting(event -> ((BodyStuck) event).ignoredFor().toSeconds())
          .containsExactly(10L, 20L, 40L, 80L);
      assertThat(
              cluster.runs().stream().map(run -> run.tick().nominal().getEpochSecond() / 60 % 60))
          .containsExactly(1L, 4L); // 2 and 3 were skipped
      assertThat(cluster.store().ledger().history("task", 100).stream().map(TickRecord::outcome))
          .containsExactly(Outcome.SUCCEEDED, Outcome.SKIPPED, Outcome.SKIPPED, Outcome.TIMED_OUT);
    }
  }
}
