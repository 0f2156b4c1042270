package dev.monotick.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** For how many leadership groups an election is asked. */
class GroupCapacityTest {

  private final InMemoryStore store = InMemoryStore.create();
  private final List<Integer> asked = new ArrayList<>();
  private final LeaderElection election =
      new LeaderElection() {
        @Override
        public LeaseTiming defaultTiming() {
          return store.leaders().defaultTiming();
        }

        @Override
        public void checkCapacity(int groups) {
          asked.add(groups);
          if (groups > 3) {
            throw new IllegalArgumentException("too many groups: " + groups);
          }
        }

        @Override
        public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
          return store.leaders().candidate(group, replica, timing);
        }
      };

  @Test
  void groupsOfAllTasksAreCheckedAtOnceWhenAnEngineIsBuilt() {
    try (Monotick engine = builder().task(led("a")).task(led("b")).task(led("c")).build()) {
      assertThat(asked).containsExactly(3);
      assertThat(engine.tasks()).hasSize(3);
    }
  }

  @Test
  void groupsThatAreTooManyAreRefusedBeforeAnythingIsRegistered() {
    try (Monotick engine = builder().task(led("a")).task(led("b")).build()) {
      engine.register(led("c"));
      assertThatThrownBy(() -> engine.register(led("d"))).hasMessage("too many groups: 4");
      assertThat(engine.tasks()).hasSize(3);
      engine.register(task("again", "c"));
      assertThat(asked).as("a known group is not counted twice").containsExactly(2, 3, 4);
    }
  }

  @Test
  void tasksThatNeedNoLeaderAreNotCounted() {
    Task everywhere =
        Task.named("e").every(Duration.ofMinutes(1)).mode(HaMode.EVERY_REPLICA).run(each -> {});
    builder().task(everywhere).build().close();
    builder().task(led("a")).leadership(LeadershipMode.SINGLE_REPLICA).build().close();
    builder().task(led("a")).dangerouslyRunLeaderTasksOnEveryReplica().build().close();
    assertThat(asked).isEmpty();
  }

  private MonotickBuilder builder() {
    return Monotick.builder().store(store).election(election);
  }

  private static Task led(String group) {
    return task("of-" + group, group);
  }

  private static Task task(String name, String group) {
    return Task.named(name)
        .every(Duration.ofMinutes(1))
        .mode(HaMode.LEADER)
        .group(group)
        .run(each -> {});
  }
}
