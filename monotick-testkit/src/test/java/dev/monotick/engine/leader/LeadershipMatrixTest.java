package dev.monotick.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.testkit.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leadership enabled or disabled, one replica or many: what runs where. */
class LeadershipMatrixTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final List<String> runs = new ArrayList<>();

  private MonotickBuilder replica(String name) {
    return Monotick.builder()
        .store(store)
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads())
        .replicaName(name)
        .task(
            Task.named("task")
                .every(Duration.ofSeconds(1))
                .mode(HaMode.LEADER)
                .run(c -> runs.add(name)));
  }

  private void start(MonotickBuilder... replicas) {
    for (MonotickBuilder replica : replicas) {
      replica.build().start();
    }
  }

  private void threeSeconds() {
    scheduler.advance(Duration.ofSeconds(3));
  }

  @Test
  void enabledWithOneReplicaRuns() {
    start(replica("a"));
    threeSeconds();
    assertThat(runs).containsExactly("a", "a", "a");
  }

  @Test
  void enabledWithManyReplicasRunsOnOne() {
    start(replica("a"), replica("b"), replica("c"));
    threeSeconds();
    assertThat(runs).containsExactly("a", "a", "a");
  }

  @Test
  void disabledWithOneReplicaRuns() {
    start(replica("a").leadership(LeadershipMode.SINGLE_REPLICA));
    threeSeconds();
    assertThat(runs).containsExactly("a", "a", "a");
  }

  @Test
  void disabledRefusesSecondReplicaThatIsDisabledToo() {
    start(replica("a").leadership(LeadershipMode.SINGLE_REPLICA));
    Monotick second = replica("b").leadership(LeadershipMode.SINGLE_REPLICA).build();
    assertThatThrownBy(second::start)
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("a (")
        .hasMessageContaining("switch leader election on");
    threeSeconds();
    assertThat(runs).containsExactly("a", "a", "a");
  }

  @Test
  void disabledRefusesSecondReplicaThatIsEnabled() {
    start(replica("a").leadership(LeadershipMode.SINGLE_REPLICA));
    assertThatThrownBy(replica("b").build()::start).isInstanceOf(JoinRefusedException.class);
    threeSeconds();
    assertThat(runs).containsExactly("a", "a", "a");
  }

  @Test
  void disabledIsRefusedBesideOneThatIsEnabled() {
    start(replica("a"));
    Monotick second = replica("b").leadership(LeadershipMode.SINGLE_REPLICA).build();
    assertThatThrownBy(second::start).isInstanceOf(JoinRefusedException.class);
    threeSeconds();
    assertThat(runs).containsExactly("a", "a", "a");
  }

  @Test
  void disabledReplicaThatWasCutOffWhileAnotherCameIsRefusedWhenItReturns() {
    FaultyStore link = FaultyStore.to(store);
    start(replica("a").store(link).leadership(LeadershipMode.SINGLE_REPLICA));
    link.cut();
    scheduler.advance(Duration.ofSeconds(5));
    runs.clear();
    start(replica("b"));
    link.heal();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(runs).isNotEmpty().containsOnly("b");
  }

  /** As one that was stopped by a signal: it is a member for as long as its lease. */
  @Test
  void newcomerWaitsForTheLeaseOfASilentReplicaAndTakesItsPlace() {
    FaultyStore link = FaultyStore.to(store);
    Monotick silent = replica("a").store(link).leadership(LeadershipMode.SINGLE_REPLICA).build();
    silent.start();
    link.cut();
    scheduler.advance(Duration.ofMillis(1_500));
    assertThat(store.replicas().live()).as("its lease runs").hasSize(1);
    Monotick newcomer = replica("b").leadership(LeadershipMode.SINGLE_REPLICA).build();
    newcomer.start();
    assertThat(store.replicas().live())
        .extracting(MemberInfo::id)
        .containsExactly(new MemberId(newcomer.replicaId()));
    runs.clear();
    link.heal();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(runs).hasSize(10).containsOnly("b");
  }

  @Test
  void secondReplicaMayComeWhenTheFirstHasStopped() {
    Monotick first = replica("a").leadership(LeadershipMode.SINGLE_REPLICA).build();
    first.start();
    first.stop(Duration.ZERO);
    start(replica("b").leadership(LeadershipMode.SINGLE_REPLICA));
    threeSeconds();
    assertThat(runs).containsOnly("b");
  }

  @Test
  void leaderTasksRunEverywhereOnlyIfDangerouslyAskedFor() {
    start(
        replica("a").dangerouslyRunLeaderTasksOnEveryReplica(),
        replica("b").dangerouslyRunLeaderTasksOnEveryReplica());
    threeSeconds();
    assertThat(runs).containsExactlyInAnyOrder("a", "a", "a", "b", "b", "b");
  }

  @Test
  void dangerousOptionContradictsSingleReplica() {
    assertThatThrownBy(
            () ->
                replica("a")
                    .leadership(LeadershipMode.SINGLE_REPLICA)
                    .dangerouslyRunLeaderTasksOnEveryReplica()
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("contradicts leadership SINGLE_REPLICA");
  }
}
