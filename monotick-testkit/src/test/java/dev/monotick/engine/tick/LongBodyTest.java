package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.StopReport;
import dev.monotick.engine.leader.ScriptedElection;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.tick.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies that take long, on real threads. */
@Timeout(30)
class LongBodyTest {

  private static final Duration OFTEN = Duration.ofMillis(20);

  private final InMemoryStore store = InMemoryStore.create();
  private final ScriptedElection election = new ScriptedElection(store.leaders());
  private final Monotick engine =
      Monotick.builder().store(store).election(election).replicaName("long").build();
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void stop() {
    release.countDown();
    engine.stop(Duration.ZERO);
  }

  @Test
  void bodiesThatBlockHoldUpNeitherOtherTasksNorTheTimer() throws Exception {
    Semaphore ticks = new Semaphore(0);
    for (int i = 0; i < 50; i++) {
      engine.register(
          Task.named("blocks-" + i)
              .every(OFTEN)
              .mode(i % 2 == 0 ? HaMode.LEADER : HaMode.ONE_REPLICA)
              .run(c -> release.await()));
    }
    engine.register(Task.named("ticks").every(OFTEN).mode(HaMode.LEADER).run(c -> ticks.release()));
    engine.start();
    ticks.acquire(10);
    assertThat(engine.tasks()).filteredOn(task -> task.running() == 1).hasSizeGreaterThan(40);
  }

  @Test
  void bodyThatTimesOutIsInterrupted() throws Exception {
    CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    engine.register(
        Task.named("task")
            .every(OFTEN)
            .mode(HaMode.EVERY_REPLICA)
            .timeout(Duration.ofMillis(50))
            .run(
                c -> {
                  try {
                    release.await();
                  } catch (InterruptedException e) {
                    cancelled.complete(c.isCancelled());
                    throw e;
                  }
                }));
    engine.start();
    assertThat(cancelled.get()).isTrue();
  }

  @Test
  void stopWaitsForBodiesAndReleasesLeadershipAfterThem() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Boolean> endedBeforeRelease = new CompletableFuture<>();
    election.during(
        call -> {
          if (call.equals("release")) {
            endedBeforeRelease.complete(ended.get());
          }
        });
    engine.register(
        Task.named("task")
            .every(OFTEN)
            .mode(HaMode.LEADER)
            .run(
                c -> {
                  entered.countDown();
                  release.await();
                  ended.set(true);
                }));
    engine.start();
    entered.await();
    CompletableFuture<StopReport> stop =
        CompletableFuture.supplyAsync(() -> engine.stop(Duration.ofSeconds(20)));
    assertThat(election.calls).doesNotContain("release");
    release.countDown();
    assertThat(stop.get().isClean()).isTrue();
    assertThat(endedBeforeRelease.get()).isTrue();
    assertThat(store.ledger().history("task", 100))
        .anyMatch(row -> row.outcome() == Outcome.SUCCEEDED);
  }

  @Test
  void stopWithoutGraceInterruptsBodiesAndRecordsThemAsCancelled() throws Exception {
    engine.register(
        Task.named("task")
            .every(OFTEN)
            .mode(HaMode.LEADER)
            .run(
                c -> {
                  entered.countDown();
                  release.await();
                }));
    engine.start();
    entered.await();
    assertThat(engine.stop(Duration.ZERO).isClean()).isTrue();
    assertThat(store.ledger().history("task", 100))
        .anyMatch(row -> row.outcome() == Outcome.CANCELLED)
        .allMatch(row -> row.outcome() != null);
    assertThat(election.calls).contains("release");
  }
}
