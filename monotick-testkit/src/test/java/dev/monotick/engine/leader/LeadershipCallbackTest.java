package dev.monotick.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners for leadership, on real threads. */
@Timeout(30)
class LeadershipCallbackTest {

  private final Semaphore ticks = new Semaphore(0);
  private final Monotick engine =
      Monotick.builder()
          .store(InMemoryStore.create())
          .replicaName("callbacks")
          .task(
              Task.named("task")
                  .every(Duration.ofMillis(20))
                  .mode(HaMode.LEADER)
                  .run(c -> ticks.release()))
          .build();

  @AfterEach
  void stop() {
    engine.stop(Duration.ZERO);
  }

  /** Counts what it is told, and on which threads. */
  private static final class Counting implements LeadershipListener {

    final Semaphore gained = new Semaphore(0);
    final Semaphore lost = new Semaphore(0);
    final Set<String> threads = ConcurrentHashMap.newKeySet();

    @Override
    public void gained(LeaderTerm term) {
      threads.add(Thread.currentThread().getName());
      gained.release();
    }

    @Override
    public void lost(LeaderTerm term, LossCause cause) {
      threads.add(Thread.currentThread().getName());
      assertThat(term.isValid()).isFalse();
      lost.release();
    }
  }

  @Test
  void severalListenersAreToldOfGainAndLossOnThreadsOfTheirOwn() throws Exception {
    Counting one = new Counting();
    Counting two = new Counting();
    engine.subscribe(one);
    engine.subscribe(two);
    engine.start();
    one.gained.acquire();
    two.gained.acquire();
    engine.resign(Task.DEFAULT_GROUP);
    one.lost.acquire();
    two.lost.acquire();
    assertThat(one.threads).allMatch(name -> name.contains("-listener-"));
    assertThat(two.threads).allMatch(name -> name.contains("-listener-"));
  }

  @Test
  void blockingListenerDelaysNeitherTicksNorOtherListeners() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    engine.subscribe(
        new LeadershipListener() {
          @Override
          public void gained(LeaderTerm term) {
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
    Counting other = new Counting();
    engine.subscribe(other);
    engine.start();
    other.gained.acquire();
    ticks.acquire(5);
    engine.resign(Task.DEFAULT_GROUP);
    other.lost.acquire();
    release.countDown();
  }

  @Test
  void listenerThatThrowsIsToldOfTheNextChangeAllTheSame() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    engine.subscribe(
        new LeadershipListener() {
          @Override
          public void gained(LeaderTerm term) {
            throw new AssertionError("an Error, not an Exception");
          }

          @Override
          public void lost(LeaderTerm term, LossCause cause) {
            lost.countDown();
          }
        });
    engine.start();
    ticks.acquire();
    engine.resign(Task.DEFAULT_GROUP);
    lost.await();
  }
}
