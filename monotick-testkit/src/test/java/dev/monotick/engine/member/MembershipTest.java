package dev.monotick.engine.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.Store;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Joining, heartbeats and coming back. */
@Timeout(30)
class MembershipTest {

  /** A store whose registry tells a test of joins and beats. */
  private record Watched(Store store, Runnable onJoin, Runnable onBeat)
      implements Store, MemberRegistry {

    @Override
    public TickLedger ledger() {
      return store.ledger();
    }

    @Override
    public MemberRegistry replicas() {
      return this;
    }

    @Override
    public LeaderElection leaders() {
      return store.leaders();
    }

    @Override
    public LeaseTiming timing() {
      return store.replicas().timing();
    }

    @Override
    public boolean join(MemberInfo replica, boolean alone, Set<MemberId> former) {
      onJoin.run();
      return store.replicas().join(replica, alone, former);
    }

    @Override
    public Optional<List<MemberInfo>> heartbeat(MemberId replica) {
      onBeat.run();
      return store.replicas().heartbeat(replica);
    }

    @Override
    public void update(MemberInfo replica) {
      store.replicas().update(replica);
    }

    @Override
    public void leave(MemberId replica) {
      store.replicas().leave(replica);
    }

    @Override
    public List<MemberInfo> live() {
      return store.replicas().live();
    }
  }

  @Test
  void lossesOfMembershipDoNotMultiplyHeartbeats() {
    ManualScheduler scheduler = new ManualScheduler();
    InMemoryStore store = InMemoryStore.builder().time(scheduler.time().timeSource()).build();
    List<String> beats = new ArrayList<>();
    Monotick engine =
        Monotick.builder()
            .store(new Watched(store, () -> {}, () -> beats.add("beat")))
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .build();
    engine.start();
    for (int times = 0; times < 5; times++) {
      scheduler.advance(Duration.ofMillis(1_100));
      scheduler.time().suspend(Duration.ofSeconds(3));
    }
    scheduler.advance(Duration.ofSeconds(1));
    beats.clear();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(beats).hasSize(13); // one each 750 ms, as it is alone
  }

  /** Its claims were made under the former id, and may be another replica's by now. */
  @Test
  void processThatLostItsMembershipJoinsUnderAnotherId() {
    ManualScheduler scheduler = new ManualScheduler();
    InMemoryStore store = InMemoryStore.builder().time(scheduler.time().timeSource()).build();
    List<MemberId> former = new ArrayList<>();
    Monotick engine =
        Monotick.builder()
            .store(store)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .build();
    engine.start();
    for (int times = 0; times < 3; times++) {
      scheduler.advance(Duration.ofSeconds(1));
      assertThat(store.replicas().live())
          .singleElement()
          .satisfies(self -> assertThat(former).doesNotContain(self.id()))
          .satisfies(self -> former.add(self.id()));
      scheduler.time().suspend(Duration.ofMinutes(1));
    }
  }

  @Test
  void stopWhileTheFirstJoinIsOnItsWayRefusesTheStart() throws Exception {
    CountDownLatch joining = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Watched store =
        new Watched(
            InMemoryStore.create(),
            () -> {
              joining.countDown();
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            () -> {});
    Monotick engine = Monotick.builder().store(store).replicaName("slow").build();
    CompletableFuture<Void> start = CompletableFuture.runAsync(engine::start);
    joining.await();
    assertThat(engine.stop(Duration.ZERO).isClean()).isTrue();
    assertThatThrownBy(start::get).hasCauseInstanceOf(IllegalStateException.class);
    release.countDown();
  }

  @Test
  void questionsBesideStopAreAnsweredOrRefusedButNeverForgotten() throws Exception {
    for (int round = 0; round < 100; round++) {
      Monotick engine =
          Monotick.builder().store(InMemoryStore.create()).replicaName("asked").build();
      engine.start();
      CountDownLatch asked = new CountDownLatch(1);
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        answers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    while (true) {
                      engine.tasks();
                      asked.countDown();
                    }
                  } catch (IllegalStateException e) {
                    return "refused";
                  }
                }));
      }
      asked.await();
      engine.stop(Duration.ZERO);
      for (CompletableFuture<String> answer : answers) {
        assertThat(answer.get()).isEqualTo("refused");
      }
    }
  }
}
