package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.event.MonotickEvent;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.testkit.SimulatedCluster.Run;
import dev.monotick.tick.Outcome;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunAtStartTest {

  private static final Instant START = FakeTime.START;

  private static SimulatedCluster cluster(HaMode mode, UnaryOperator<TaskBuilder> more) {
    return SimulatedCluster.builder()
        .replicas(3)
        .task(r -> more.apply(Task.named("t").mode(mode)).run(c -> {}))
        .start();
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void currentPeriodRunsOnceForTheClusterAndThenEachTick(HaMode mode) {
    try (var cluster = cluster(mode, t -> t.cron("30 * * * *").runAtStart(true))) {
      cluster.advance(Duration.ofMinutes(1));
      assertThat(Rows.started(cluster, "t")).containsExactly(START.minus(Duration.ofMinutes(30)));
      cluster.advance(Duration.ofHours(2));
      assertThat(Rows.started(cluster, "t"))
          .containsExactly(
              START.minus(Duration.ofMinutes(30)),
              START.plus(Duration.ofMinutes(30)),
              START.plus(Duration.ofMinutes(90)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void withoutItTheFirstRunIsTheNextTick(HaMode mode) {
    try (var cluster = cluster(mode, t -> t.cron("30 * * * *"))) {
      cluster.advance(Duration.ofMinutes(29));
      assertThat(cluster.runs()).isEmpty();
      cluster.advance(Duration.ofMinutes(2));
      assertThat(Rows.started(cluster, "t")).containsExactly(START.plus(Duration.ofMinutes(30)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void rollingRestartOfAllReplicasCausesNoBurst(HaMode mode) {
    try (var cluster = cluster(mode, t -> t.cron("30 * * * *").runAtStart(true))) {
      cluster.advance(Duration.ofMinutes(5));
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
          cluster.stop(i);
          cluster.advance(Duration.ofSeconds(20));
          cluster.restart(i);
          cluster.advance(Duration.ofMinutes(1));
        }
      }
      assertThat(cluster.runs()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void wholeClusterThatComesBackRunsTheCurrentPeriodHoweverLate(HaMode mode) {
    try (var cluster =
        cluster(mode, t -> t.cron("0 * * * *").runAtStart(true).catchUp(CatchUp.none()))) {
      cluster.advance(Duration.ofMinutes(5));
      Rows.crashAll(cluster, 3);
      cluster.advance(Duration.ofMinutes(185)); // 03:10
      Rows.restartAll(cluster, 3);
      cluster.advance(Duration.ofMinutes(10));
      assertThat(Rows.started(cluster, "t"))
          .containsExactly(START, START.plus(Duration.ofHours(3)));
      assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isEqualTo(2);
    }
  }

  @Test
  void everyReplicaRunsItAtItsOwnStart() {
    try (var cluster = cluster(HaMode.EVERY_REPLICA, t -> t.cron("30 * * * *").runAtStart(true))) {
      cluster.advance(Duration.ofMinutes(1));
      assertThat(cluster.runs().stream().map(Run::replica))
          .containsExactlyInAnyOrder("replica-0", "replica-1", "replica-2");
      cluster.crash(1);
      cluster.restart(1);
      cluster.advance(Duration.ofMinutes(1));
      assertThat(cluster.runs()).hasSize(4);
      assertThat(cluster.runs().get(3).replica()).isEqualTo("replica-1");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void fixedDelayRunsAtStartAndThenAfterItsDelay(HaMode mode) {
    try (var cluster = cluster(mode, t -> t.fixedDelay(Duration.ofMinutes(10)).runAtStart(true))) {
      cluster.advance(Duration.ofMinutes(1));
      assertThat(cluster.runs()).hasSize(1);
      for (int i = 0; i < 3; i++) {
        cluster.stop(i);
        cluster.restart(i);
      }
      cluster.advance(Duration.ofMinutes(8));
      assertThat(cluster.runs()).hasSize(1);
      cluster.advance(Duration.ofMinutes(2));
      assertThat(cluster.runs()).hasSize(2);
    }
  }

  @Test
  void ticksAreAlignedToTheEpochAndTheSameOnReplicasThatStartedAtDifferentTimes() {
    try (var cluster = cluster(HaMode.EVERY_REPLICA, t -> t.every(Duration.ofMinutes(7)))) {
      cluster.crash(1);
      cluster.advance(Duration.ofSeconds(133));
      cluster.restart(1);
      cluster.crash(2);
      cluster.advance(Duration.ofSeconds(61));
      cluster.restart(2);
      cluster.advance(Duration.ofHours(2));
      Map<String, List<Instant>> byReplica =
          cluster.runs().stream()
              .collect(
                  Collectors.groupingBy(
                      Run::replica,
                      Collectors.mapping(run -> run.tick().nominal(), Collectors.toList())));
      assertThat(Set.copyOf(byReplica.values())).hasSize(1);
      assertThat(byReplica).hasSize(3);
      assertThat(byReplica.get("replica-0"))
          .hasSize(17)
          .allMatch(nominal -> nominal.getEpochSecond() % 420 == 0);
    }
  }

  @Test
  void jitterIsTheSameOnAllReplicasAndEndsBeforeTheNextTick() {
    Duration jitter = Duration.ofSeconds(50);
    try (var cluster =
        cluster(HaMode.EVERY_REPLICA, t -> t.every(Duration.ofMinutes(1)).jitter(jitter))) {
      List<Duration> lateness = new ArrayList<>();
      cluster
          .replica(0)
          .subscribe(
              (MonotickEvent event) -> {
                if (event instanceof MonotickEvent.TickStarted started) {
                  lateness.add(started.lateness());
                }
              });
      cluster.advance(Duration.ofMinutes(31));
      Map<Instant, Set<Instant>> startsByTick =
          cluster.runs().stream()
              .collect(
                  Collectors.groupingBy(
                      run -> run.tick().nominal(),
                      Collectors.mapping(Run::at, Collectors.toSet())));
      assertThat(startsByTick.size()).isGreaterThanOrEqualTo(30);
      startsByTick.forEach(
          (nominal, starts) -> {
            assertThat(starts).as("all replicas at the same time").hasSize(1);
            assertThat(starts).allMatch(at -> !at.isBefore(nominal));
            assertThat(starts).allMatch(at -> at.isBefore(nominal.plus(jitter)));
          });
      Set<Duration> delays =
          cluster.runs().stream()
              .map(run -> Duration.between(run.tick().nominal(), run.at()))
              .collect(Collectors.toSet());
      assertThat(delays.size()).as("spread").isGreaterThan(20);
      assertThat(lateness).hasSizeGreaterThanOrEqualTo(30).allMatch(Duration::isZero);
    }
  }
}
