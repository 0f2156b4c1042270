package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.event.MonotickEvent;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskContext;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to a tick whose replica dies, or is taken for dead, in the middle of it. */
@SuppressWarnings("NullAway") // nulls are passed on purpose, and fields set before each test
class EffectTest {

  private final List<String> attempts = new ArrayList<>();
  private SimulatedCluster cluster;

  private interface Accident {
    void happen(int replica);
  }

  private void start(HaMode mode, Effect effect, Accident accident) {
    cluster =
        SimulatedCluster.builder()
            .replicas(3)
            .task(
                r ->
                    Task.named("t")
                        .every(Duration.ofMinutes(1))
                        .mode(mode)
                        .effect(effect)
                        .run(c -> body(c, accident)))
            .start();
  }

  private void body(TaskContext context, Accident accident) {
    attempts.add(context.idempotencyKey() + " attempt " + context.attempt());
    if (attempts.size() == 1) {
      accident.happen(context.replica().charAt(8) - '0');
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void atLeastOnceRunsAgainWithTheSameKeyWhenItsReplicaIsGone(HaMode mode) {
    start(mode, Effect.AT_LEAST_ONCE, i -> cluster.crash(i));
    try (SimulatedCluster running = cluster) {
      running.scheduler().runDue();
      cluster.advance(Duration.ofSeconds(75));
      assertThat(attempts)
          .containsExactly("t/2026-01-01T00:01:00Z attempt 1", "t/2026-01-01T00:01:00Z attempt 2");
      assertThat(Rows.of(cluster, "t")).hasSize(1);
      assertThat(Rows.of(cluster, "t").get(0).outcome()).isEqualTo(Outcome.SUCCEEDED);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void atMostOnceIsUnknownAndNeverRunAgain(HaMode mode) {
    List<MonotickEvent> events = new ArrayList<>();
    start(mode, Effect.AT_MOST_ONCE, i -> cluster.crash(i));
    try (SimulatedCluster running = cluster) {
      running.scheduler().runDue();
      for (int i = 0; i < 3; i++) {
        cluster.replica(i).subscribe(events::add);
      }
      cluster.advance(Duration.ofSeconds(150));
      assertThat(attempts)
          .containsExactly("t/2026-01-01T00:01:00Z attempt 1", "t/2026-01-01T00:02:00Z attempt 1");
      TickRecord row = Rows.of(cluster, "t").get(0);
      assertThat(row.outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(row.detail()).contains("is gone");
      assertThat(events)
          .filteredOn(
              e -> e instanceof MonotickEvent.TickEnded end && end.outcome() == Outcome.UNKNOWN)
          .hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void reportOfAZombieIsRefusedAndShown(HaMode mode) {
    List<MonotickEvent> events = new ArrayList<>();
    start(
        mode,
        Effect.AT_LEAST_ONCE,
        i -> {
          cluster.replica(i).subscribe(events::add);
          cluster.freeze(i);
          cluster.advance(Duration.ofSeconds(20));
          cluster.thaw(i);
        });
    try (SimulatedCluster running = cluster) {
      running.scheduler().runDue();
      cluster.advance(Duration.ofSeconds(95));
      assertThat(attempts).hasSize(2);
      assertThat(Rows.of(cluster, "t")).hasSize(1);
      assertThat(Rows.of(cluster, "t").get(0).attempt()).isEqualTo(2);
      assertThat(events.stream().filter(MonotickEvent.ReportRefused.class::isInstance)).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void tickThatKillsItsReplicaThreeTimesIsNotTriedAgain(HaMode mode) {
    SimulatedCluster[] killers = new SimulatedCluster[1];
    killers[0] =
        SimulatedCluster.builder()
            .replicas(4)
            .task(
                r ->
                    Task.named("t")
                        .every(Duration.ofHours(1))
                        .mode(mode)
                        .effect(Effect.AT_LEAST_ONCE)
                        .run(c -> killers[0].crash(c.replica().charAt(8) - '0')))
            .start();
    try (SimulatedCluster killed = killers[0]) {
      killed.advance(Duration.ofMinutes(65));
      assertThat(killed.runs()).hasSize(3);
      assertThat(Rows.of(killed, "t").get(0).outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }
}
