package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndeterminateClaimTest {

  private static SimulatedCluster cluster(
      int replicas, HaMode mode, UnaryOperator<TaskBuilder> more) {
    return SimulatedCluster.builder()
        .replicas(replicas)
        .task(r -> more.apply(Task.named("t").every(Duration.ofMinutes(1)).mode(mode)).run(c -> {}))
        .start();
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void claimWhoseReplyIsLostForAMomentRunsOnce(HaMode mode) {
    try (var cluster = cluster(1, mode, t -> t)) {
      cluster.advance(Duration.ofMillis(59_900));
      cluster.loseReplies(0);
      cluster.advance(Duration.ofMillis(500));
      assertThat(cluster.runs()).as("no answer, no work").isEmpty();
      assertThat(Rows.of(cluster, "t")).as("yet it is claimed").hasSize(1);
      cluster.heal(0);
      cluster.advance(Duration.ofSeconds(20));
      assertThat(Rows.started(cluster, "t")).containsExactly(FakeTime.START.plusSeconds(60));
      assertThat(Rows.of(cluster, "t").get(0).attempt()).isLessThanOrEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void repliesLostAtAnyMomentNeverRunATickTwiceNorLoseOne(HaMode mode) {
    for (Effect effect : new Effect[] {Effect.AT_MOST_ONCE, Effect.AT_LEAST_ONCE}) {
      for (int offset = -600; offset <= 600; offset += 50) {
        for (int length : new int[] {100, 1_000, 5_000}) {
          String what = mode + " " + effect + " " + offset + " for " + length;
          try (var cluster = cluster(2, mode, t -> t.effect(effect))) {
            cluster.advance(Duration.ofMillis(60_000 + offset));
            cluster.loseReplies(0);
            cluster.advance(Duration.ofMillis(length));
            cluster.heal(0);
            cluster.advance(Duration.ofSeconds(40));
            assertThat(Rows.started(cluster, "t")).as(what).doesNotHaveDuplicates();
            assertThat(Rows.of(cluster, "t")).as(what).hasSize(1);
            TickRecord row = Rows.of(cluster, "t").get(0);
            boolean ran = !Rows.started(cluster, "t").isEmpty();
            assertThat(row.outcome()).as(what).isEqualTo(ran ? Outcome.SUCCEEDED : Outcome.UNKNOWN);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void nothingRunsDuringAnOutageAndOnlyTheNewestTickAfterIt(HaMode mode) {
    try (var cluster = cluster(2, mode, t -> t)) {
      cluster.advance(Duration.ofMillis(59_990)); // the claim of the first tick goes into the void
      cluster.partition(0);
      cluster.partition(1);
      cluster.advance(Duration.ofMinutes(10)); // 10:59.990
      assertThat(cluster.runs()).isEmpty();
      cluster.heal(0);
      cluster.heal(1);
      cluster.advance(Duration.ofSeconds(40));
      assertThat(Rows.started(cluster, "t"))
          .allMatch(tick -> !tick.isBefore(FakeTime.START.plusSeconds(600)))
          .doesNotHaveDuplicates()
          .isNotEmpty();
      assertThat(Rows.total(cluster, "t")).isEqualTo(11);
      assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isGreaterThanOrEqualTo(9);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LEADER", "ONE_REPLICA"})
  void claimAnsweredTooLateIsMissed(HaMode mode) {
    try (var cluster = cluster(1, mode, t -> t.catchUp(CatchUp.none()))) {
      cluster.advance(Duration.ofMillis(59_990));
      cluster.partition(0);
      cluster.advance(Duration.ofSeconds(30));
      cluster.heal(0);
      cluster.advance(Duration.ofSeconds(20));
      assertThat(cluster.runs()).isEmpty();
      assertThat(Rows.count(cluster, "t", Outcome.MISSED)).isEqualTo(1);
      cluster.advance(Duration.ofSeconds(20));
      assertThat(Rows.started(cluster, "t")).containsExactly(FakeTime.START.plusSeconds(120));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EVERY_REPLICA", "SHARED"})
  void localTasksGoOnWithoutTheStore(HaMode mode) {
    try (var cluster = cluster(1, mode, t -> t)) {
      cluster.partition(0);
      cluster.advance(Duration.ofSeconds(610));
      assertThat(cluster.runs()).hasSize(10);
    }
  }

  @Test
  void claimWithAStaleFenceIsRefusedCountedAndEndsTheTerm() {
    try (var cluster = cluster(1, HaMode.LEADER, t -> t)) {
      cluster.advance(Duration.ofMillis(59_900));
      assertThat(cluster.leader("default")).contains(0);
      cluster
          .store()
          .ledger()
          .mintFence("default", new MemberId(new UUID(7, 7))); // somebody else leads now
      cluster.advance(Duration.ofMillis(200));
      assertThat(cluster.runs()).isEmpty();
      assertThat(cluster.leader("default")).isEmpty();
      assertThat(cluster.replica(0).tasks().get(0).counts().refusedByFence()).isEqualTo(1);
      cluster.advance(Duration.ofSeconds(10));
      assertThat(Rows.started(cluster, "t")).containsExactly(FakeTime.START.plusSeconds(60));
    }
  }
}
