package dev.monotick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.StopReport;
import dev.monotick.engine.leader.ScriptedElection;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.testkit.SimulatedCluster.Run;
import dev.monotick.testkit.fault.FaultyStore;
import dev.monotick.tick.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How an engine stops, in virtual time. */
class StopTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).historyPerTask(100).build();
  private final ScriptedElection election = new ScriptedElection(store.leaders());
  private final List<StopReport> reports = new ArrayList<>();

  private MonotickBuilder builder() {
    return Monotick.builder()
        .store(store)
        .election(election)
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads());
  }

  private Monotick engine(TaskBody body) {
    return builder().task(Task.named("task").every(SECOND).mode(HaMode.LEADER).run(body)).build();
  }

  @Test
  void leaderHandsOverAtOnce() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(r -> Task.named("task").every(SECOND).mode(HaMode.LEADER).run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofSeconds(5));
      int leader = cluster.leader("default").orElseThrow();
      cluster.stop(leader);
      cluster.scheduler().runDue();
      assertThat(cluster.leader("default")).contains(1 - leader);
      cluster.advance(Duration.ofSeconds(5));
      assertThat(cluster.runs()).hasSize(10).allMatch(run -> run.lateness().isZero());
    }
  }

  @Test
  void noTickBeginsAfterStop() {
    List<Object> runs = new ArrayList<>();
    Monotick engine = engine(c -> runs.add(c.tick()));
    engine.start();
    scheduler.advance(Duration.ofSeconds(3));
    assertThat(engine.stop(SECOND).isClean()).isTrue();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(runs).hasSize(3);
  }

  @Test
  void bodyThatIgnoresItsCancellationIsReturnedAndItsLeadershipNotReleased() {
    List<Monotick> self = new ArrayList<>();
    Monotick engine =
        engine(c -> reports.add(self.get(0).stop(SECOND))); // itself, so it cannot end before
    self.add(engine);
    engine.start();
    scheduler.advance(Duration.ofSeconds(20));
    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).stillRunning()).hasSize(1);
    assertThat(election.calls).contains("abandon").doesNotContain("release");
    assertThat(store.replicas().live()).isEmpty(); // it left by silence
  }

  @Test
  void unguardedBodyThatIgnoresItsCancellationDoesNotKeepLeadership() {
    List<Monotick> self = new ArrayList<>();
    Monotick engine =
        builder()
            .task(Task.named("led").every(Duration.ofHours(1)).mode(HaMode.LEADER).run(c -> {}))
            .task(
                Task.named("own")
                    .every(SECOND)
                    .mode(HaMode.EVERY_REPLICA)
                    .run(c -> reports.add(self.get(0).stop(Duration.ZERO))))
            .build();
    self.add(engine);
    engine.start();
    scheduler.advance(Duration.ofSeconds(20));
    assertThat(reports.get(0).stillRunning()).hasSize(1);
    assertThat(election.calls).contains("release");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void replicaInItsGracePeriodDoesNotBecomeLeader(long seed) {
    List<SimulatedCluster> self = new ArrayList<>();
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(3)
            .seed(seed)
            .task(r -> Task.named("task").every(SECOND).mode(HaMode.LEADER).run(c -> {}))
            .task(
                r ->
                    Task.named("stop")
                        .every(Duration.ofSeconds(30))
                        .mode(HaMode.EVERY_REPLICA)
                        .run(
                            c -> {
                              if (r.equals("replica-1")) {
                                self.get(0).crash(0);
                                self.get(0).stop(1); // takes all of its grace, for this very body
                              }
                            }))
            .start()) {
      self.add(cluster);
      cluster.advance(Duration.ofSeconds(20));
      assertThat(cluster.leader("default")).contains(0);
      cluster.advance(Duration.ofSeconds(20));
      assertThat(
              cluster.runs().stream()
                  .filter(run -> run.tick().task().equals("task"))
                  .filter(run -> run.replica().equals("replica-2"))
                  .map(Run::lateness))
          .hasSizeGreaterThan(25)
          .allMatch(lateness -> lateness.compareTo(Duration.ofSeconds(5)) < 0);
    }
  }

  @Test
  void tickOfBodyThatOutlivedItsEngineIsSettledAsUnknown() {
    List<Monotick> self = new ArrayList<>();
    Monotick engine =
        engine(
            c -> {
              reports.add(self.get(0).stop(Duration.ZERO));
              c.checkCancelled();
            });
    self.add(engine);
    engine.start();
    scheduler.advance(Duration.ofSeconds(2));
    // Nobody is left to report it, and so another replica settles it.
    Monotick other = engine(c -> {});
    other.start();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(other.history("task", 100)).anyMatch(row -> row.outcome() == Outcome.UNKNOWN);
  }

  @Test
  void stopTwiceReturnsTheSameReport() {
    Monotick engine = engine(c -> {});
    engine.start();
    StopReport first = engine.stop(SECOND);
    assertThat(engine.stop(SECOND)).isEqualTo(first);
  }

  @Test
  void stopBeforeStartIsClean() {
    Monotick engine = engine(c -> {});
    assertThat(engine.stop(SECOND).isClean()).isTrue();
    assertThat(election.calls).isEmpty();
  }

  @Test
  void startTwiceDoesNothingMore() {
    List<Object> runs = new ArrayList<>();
    Monotick engine = engine(c -> runs.add(c.tick()));
    engine.start();
    engine.start();
    scheduler.advance(Duration.ofSeconds(3));
    assertThat(runs).hasSize(3);
    assertThat(store.replicas().live()).hasSize(1);
  }

  @Test
  void startAfterStopIsRefused() {
    Monotick engine = engine(c -> {});
    engine.start();
    engine.stop(SECOND);
    assertThatThrownBy(engine::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("build another");
    assertThatThrownBy(engine::tasks).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void negativeGraceIsRefused() {
    Monotick engine = engine(c -> {});
    assertThatThrownBy(() -> engine.stop(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("gracePeriod");
  }

  @Test
  void stopWithoutStoreEndsAllTheSame() {
    FaultyStore link = FaultyStore.to(store);
    Monotick engine =
        builder()
            .store(link)
            .election(link.leaders())
            .task(Task.named("task").every(SECOND).mode(HaMode.LEADER).run(c -> {}))
            .build();
    engine.start();
    scheduler.advance(Duration.ofSeconds(3));
    link.cut();
    assertThat(engine.stop(Duration.ofSeconds(1)).isClean()).isTrue();
  }
}
