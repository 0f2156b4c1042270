package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CatchUpTest {

  private static final Instant START = FakeTime.START;

  private static SimulatedCluster cluster(HaMode mode, Duration every, CatchUp catchUp) {
    return SimulatedCluster.builder()
        .replicas(3)
        .task(r -> Task.named("t").every(every).mode(mode).catchUp(catchUp).run(c -> {}))
        .start();
  }

  private static Instant hour(int hours) {
    return START.plus(Duration.ofHours(hours));
  }

  /** Runs at 1:00, is down from 1:05 to 6:40 (2:00 to 6:00 are missed), and goes on to 7:05. */
  private static void downForFiveHours(SimulatedCluster cluster) {
    cluster.advance(Duration.ofMinutes(65));
    Rows.crashAll(cluster, 3);
    cluster.advance(Duration.ofMinutes(335));
    Rows.restartAll(cluster, 3);
    cluster.advance(Duration.ofMinutes(25));
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void noneRunsNothingLateAndRecordsTheGapAsOneRange(HaMode mode) {
    try (var cluster = cluster(mode, Duration.ofHours(1), CatchUp.none())) {
      downForFiveHours(cluster);
      assertThat(Rows.started(cluster, "t")).containsExactly(hour(1), hour(7));
      assertThat(Rows.of(cluster, "t")).hasSize(3);
      TickRecord gap = Rows.of(cluster, "t").get(1);
      assertThat(gap.outcome()).isEqualTo(Outcome.MISSED);
      assertThat(gap.count()).isEqualTo(5);
      assertThat(gap.tick().nominal()).isEqualTo(hour(2));
      assertThat(gap.last()).isEqualTo(hour(6));
      assertThat(Rows.total(cluster, "t")).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void latestRunsTheNewestTickOnceForTheCluster(HaMode mode) {
    try (var cluster = cluster(mode, Duration.ofHours(1), CatchUp.ofDefaults())) {
      downForFiveHours(cluster);
      assertThat(Rows.started(cluster, "t")).containsExactly(hour(1), hour(6), hour(7));
      assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isEqualTo(4);
      assertThat(Rows.total(cluster, "t")).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void latestRunsNothingWhenItsWindowIsOver(HaMode mode) {
    CatchUp halfAnHour = CatchUp.latestWithin(Duration.ofMinutes(30));
    try (var cluster = cluster(mode, Duration.ofHours(1), halfAnHour)) {
      downForFiveHours(cluster); // 6:00 is 40 minutes late
      assertThat(Rows.started(cluster, "t")).containsExactly(hour(1), hour(7));
      assertThat(Rows.total(cluster, "t")).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void allRunsTheNewestOnesOldestFirst(HaMode mode) {
    try (var cluster = cluster(mode, Duration.ofHours(1), CatchUp.all(3))) {
      downForFiveHours(cluster);
      assertThat(Rows.started(cluster, "t"))
          .containsExactly(hour(1), hour(4), hour(5), hour(6), hour(7));
      assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isEqualTo(2);
      assertThat(Rows.total(cluster, "t")).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void allRunsOneAfterTheOtherEvenIfEachTakesLongerThanThePeriod(HaMode mode) {
    try (var cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(
                r ->
                    Task.named("t")
                        .every(Duration.ofSeconds(10))
                        .mode(mode)
                        .catchUp(CatchUp.all(1000))
                        .run(c -> c.sleep(Duration.ofSeconds(15))))
            .start()) {
      cluster.advance(Duration.ofMinutes(3));
      List<Instant> started = Rows.started(cluster, "t");
      assertThat(started.size()).isBetween(10, 12);
      for (int i = 0; i < started.size(); i++) {
        assertThat(started.get(i)).isEqualTo(START.plusSeconds(10L * (i + 1)));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void failoverGapIsCaughtUpByThePolicy(HaMode mode) {
    try (var all = cluster(mode, Duration.ofSeconds(1), CatchUp.all(100));
        var latest = cluster(mode, Duration.ofSeconds(1), CatchUp.ofDefaults())) {
      for (SimulatedCluster cluster : List.of(all, latest)) {
        cluster.advance(Duration.ofMillis(10_500));
        cluster.crash(cluster.leader("default").orElse(0));
        cluster.advance(Duration.ofSeconds(10));
      }
      assertThat(Rows.started(all, "t")).hasSize(20).doesNotHaveDuplicates();
      assertThat(Rows.started(all, "t")).isSorted();
      assertThat(Rows.total(latest, "t")).isEqualTo(20);
      assertThat(Rows.started(latest, "t")).contains(START.plusSeconds(20)).isSorted();
    }
  }

  @ParameterizedTest
  @EnumSource
  void clockThatIsSetBackNeverFiresAgain(HaMode mode) {
    try (var cluster = cluster(mode, Duration.ofMinutes(1), CatchUp.all(50))) {
      cluster.advance(Duration.ofSeconds(610));
      int before = cluster.runs().size();
      cluster.scheduler().time().jumpWallClock(Duration.ofMinutes(-5));
      cluster.advance(Duration.ofMinutes(5));
      assertThat(cluster.runs()).hasSize(before);
      cluster.advance(Duration.ofMinutes(2));
      assertThat(cluster.runs().size()).isGreaterThan(before);
      assertThat(cluster.runs().stream().map(run -> run.replica() + run.tick()))
          .allMatch(new HashSet<>()::add);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 100})
  void clockThatIsSetForwardsFiresOnlyByThePolicy(int maximum) {
    int expected = Math.min(maximum, 60); // of the ticks in that hour
    for (HaMode mode : HaMode.values()) {
      try (var cluster =
          cluster(mode, Duration.ofMinutes(1), new CatchUp(maximum, Duration.ofDays(1)))) {
        cluster.advance(Duration.ofSeconds(90));
        int before = cluster.runs().size();
        cluster.scheduler().time().jumpWallClock(Duration.ofHours(1));
        cluster.advance(Duration.ofSeconds(10));
        int replicas = mode.isExclusive() ? 1 : 3;
        assertThat(cluster.runs()).as(mode.name()).hasSize(before + expected * replicas);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void everyTickHasOneOutcomeWhateverHappensToTheReplicas(HaMode mode) {
    List<CatchUp> policies = List.of(CatchUp.none(), CatchUp.ofDefaults(), CatchUp.all(5));
    for (int seed = 1; seed <= 30; seed++) {
      CatchUp policy = policies.get(seed % policies.size());
      try (var cluster =
          SimulatedCluster.builder()
              .replicas(3)
              .seed(seed)
              .task(
                  r ->
                      Task.named("t")
                          .every(Duration.ofSeconds(7))
                          .mode(mode)
                          .catchUp(policy)
                          .run(c -> c.sleep(Duration.ofSeconds(1))))
              .start()) {
        Map<Instant, TickRecord> rows = new HashMap<>();
        for (int step = 0; step < 60; step++) {
          int victim = cluster.random().nextInt(3);
          switch (cluster.random().nextInt(6)) {
            case 0 -> cluster.crash(victim);
            case 1 -> cluster.partition(victim);
            case 2 -> cluster.loseReplies(victim);
            case 3 -> cluster.heal(victim);
            default -> {
              if (!cluster.isUp(victim)) {
                cluster.restart(victim);
              }
            }
          }
          cluster.advance(Duration.ofMillis(cluster.random().nextInt(20_000)));
          Rows.of(cluster, "t").forEach(row -> rows.put(row.tick().nominal(), row));
        }
        for (int i = 0; i < 3; i++) {
          cluster.heal(i);
          if (!cluster.isUp(i)) {
            cluster.restart(i);
          }
        }
        cluster.advance(Duration.ofMinutes(1));
        Rows.of(cluster, "t").forEach(row -> rows.put(row.tick().nominal(), row));
        Instant end = cluster.scheduler().time().now();
        long nominal = end.getEpochSecond() / 7 - START.getEpochSecond() / 7;
        assertThat(rows.values().stream().mapToLong(TickRecord::count).sum())
            .as("seed " + seed)
            .isBetween(nominal - 1, nominal); // the newest may be due in this very moment
        assertThat(Rows.started(cluster, "t")).as("seed " + seed).doesNotHaveDuplicates();
        assertThat(rows.values())
            .as("seed " + seed)
            .filteredOn(r -> r.outcome() == null)
            .hasSizeLessThanOrEqualTo(1);
      }
    }
  }
}
