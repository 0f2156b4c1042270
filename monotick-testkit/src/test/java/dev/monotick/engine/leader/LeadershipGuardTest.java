package dev.monotick.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.engine.observe.CapturedLog;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.task.TaskBuilder;
import dev.monotick.task.TaskStatus;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.testkit.SimulatedCluster.Run;
import dev.monotick.testkit.fault.FaultyStore;
import dev.monotick.tick.Outcome;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.event.Level;

/** Followers run nothing of the leader's, and a demoted leader stops. */
class LeadershipGuardTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private static TaskBuilder leaderTask() {
    return Task.named("task").every(SECOND).mode(HaMode.LEADER);
  }

  private static SimulatedCluster cluster(int replicas, TaskBody body) {
    return SimulatedCluster.builder().replicas(replicas).task(r -> leaderTask().run(body)).start();
  }

  private static TaskStatus.Counts counts(SimulatedCluster cluster, int replica) {
    return cluster.replica(replica).tasks().get(0).counts();
  }

  @Test
  void followersTickDoesNothingButIsLoggedAndCounted() {
    try (SimulatedCluster cluster = cluster(2, c -> {});
        CapturedLog log = CapturedLog.open()) {
      cluster.advance(Duration.ofSeconds(5));
      int follower = 1 - cluster.leader("default").orElseThrow();
      assertThat(log.lines(Level.DEBUG, "not the leader, skipping tick task=task")).hasSize(5);
      assertThat(counts(cluster, follower).leftToLeader()).isEqualTo(5);
      assertThat(counts(cluster, follower).started()).isZero();
      assertThat(counts(cluster, 1 - follower).leftToLeader()).isZero();
    }
  }

  @Test
  void workResumesWhenLeadershipReturns() {
    try (SimulatedCluster cluster = cluster(2, c -> {})) {
      cluster.advance(Duration.ofSeconds(5));
      int first = cluster.leader("default").orElseThrow();
      cluster.replica(first).resign("default");
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.leader("default")).contains(1 - first);
      cluster.replica(1 - first).resign("default");
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.leader("default")).contains(first);
      assertThat(cluster.runs().stream().map(Run::tick)).hasSize(25).doesNotHaveDuplicates();
      assertThat(cluster.runs().get(24).replica()).isEqualTo("replica-" + first);
    }
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void followerOfTaskThatCatchesUpWithAllTicksDoesNotSpin() {
    try (SimulatedCluster cluster =
        SimulatedCluster.builder()
            .replicas(2)
            .task(r -> leaderTask().catchUp(CatchUp.all(10)).run(c -> {}))
            .start()) {
      cluster.advance(Duration.ofSeconds(5));
      int follower = 1 - cluster.leader("default").orElseThrow();
      assertThat(cluster.runs()).hasSize(5);
      assertThat(counts(cluster, follower).leftToLeader()).isEqualTo(5);
    }
  }

  @Test
  void demotedLeadersRunningBodyIsCancelledAsSoonAsItsTermIsOver() {
    List<Integer> seen = new ArrayList<>();
    List<SimulatedCluster> self = new ArrayList<>();
    try (SimulatedCluster cluster =
        cluster(
            1,
            c -> {
              self.get(0).partition(0);
              for (int tenths = 0; !c.isCancelled() && tenths < 100; tenths++) {
                seen.add(tenths);
                self.get(0).advance(Duration.ofMillis(100));
              }
              c.sleep(Duration.ofMinutes(1)); // which it is not allowed any more
            })) {
      self.add(cluster);
      cluster.advance(SECOND);
      assertThat(seen).hasSizeBetween(20, 25); // the lease less its margin, less the last renewal
      assertThat(counts(cluster, 0).started()).isEqualTo(1);
      cluster.heal(0);
      cluster.scheduler().advanceUntil(() -> counts(cluster, 0).cancelled() == 1);
      assertThat(cluster.store().ledger().history("task", 100))
          .anyMatch(row -> row.outcome() == Outcome.CANCELLED && row.attempt() == 1);
    }
  }

  @Test
  void demotedLeaderStartsNothing() {
    try (SimulatedCluster cluster = cluster(1, c -> {})) {
      cluster.advance(Duration.ofSeconds(5));
      cluster.partition(0);
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.runs()).hasSize(5);
    }
  }

  @Test
  void leaderWhoseFenceIsNoLongerTheNewestIsRefusedAndStepsDown() {
    try (SimulatedCluster cluster = cluster(1, c -> {})) {
      cluster.advance(Duration.ofMillis(900));
      LeaderTerm term = cluster.replica(0).leadership("default").orElseThrow();
      cluster.store().ledger().mintFence("default", new MemberId(cluster.replica(0).replicaId()));
      cluster.advance(Duration.ofMillis(100));
      assertThat(term.isValid()).isFalse();
      assertThat(cluster.runs()).isEmpty();
      assertThat(counts(cluster, 0).refusedByFence()).isEqualTo(1);
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.runs()).isNotEmpty();
    }
  }

  /** Others may take what a replica claims that is not proven to live, and then it runs twice. */
  @Test
  void replicaThatIsNoMemberLeadsNothing() {
    ManualScheduler scheduler = new ManualScheduler();
    InMemoryStore store = InMemoryStore.builder().time(scheduler.time().timeSource()).build();
    FaultyStore link = FaultyStore.to(store);
    List<Instant> starts = new ArrayList<>();
    Task task =
        leaderTask()
            .effect(Effect.AT_LEAST_ONCE)
            .run(
                c -> {
                  starts.add(c.nominalTime());
                  c.sleep(Duration.ofMillis(900));
                });
    Monotick leader =
        Monotick.builder()
            .store(link)
            .election(store.leaders()) // which is not behind the link that will break
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .task(task)
            .build();
    Monotick other =
        Monotick.builder()
            .store(store)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .task(task)
            .build();
    leader.start();
    other.start();
    scheduler.advance(Duration.ofMillis(4_950)); // no body runs when the link breaks
    for (int outage = 0; outage < 20; outage++) {
      link.cut();
      scheduler.advance(Duration.ofMillis(7_000 + 150 * outage));
      link.heal();
      scheduler.advance(Duration.ofMillis(13_000 - 150 * outage));
    }
    assertThat(leader.leadership("default")).as("lost with its membership").isEmpty();
    assertThat(other.leadership("default")).isPresent();
    assertThat(starts).isNotEmpty().doesNotHaveDuplicates();
  }
}
