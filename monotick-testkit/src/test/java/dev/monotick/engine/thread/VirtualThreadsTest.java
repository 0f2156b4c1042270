package dev.monotick.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VirtualThreadsTest {

  @Test
  void bodiesRunOnVirtualThreadsWhereTheJdkHasThem() throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    try (Monotick engine = engine("virtual", thread)) {
      engine.start();
      Thread body = thread.get();
      boolean expected = Runtime.version().feature() >= 21;
      boolean virtual = expected && (boolean) Thread.class.getMethod("isVirtual").invoke(body);
      assertThat(virtual).isEqualTo(expected);
      assertThat(body.getName()).startsWith("monotick-virtual-body");
    }
  }

  /** What keeps leases and turns going shares no carrier with bodies. */
  @Test
  void theEngineItselfRunsOnPlatformThreads() throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    try (Monotick engine = engine("leak-test", thread)) {
      engine.start();
      thread.get();
      assertThat(threads()) // virtual ones are not among them
          .extracting(Thread::getName)
          .anyMatch(name -> name.startsWith("monotick-leak-test-loop"))
          .anyMatch(name -> name.startsWith("monotick-leak-test-call"));
    }
  }

  @Test
  void noThreadIsLeftAfterStop() throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    Monotick engine = engine("leak-test", thread);
    engine.start();
    thread.get();
    List<Thread> before = threads();
    assertThat(before).isNotEmpty();
    assertThat(engine.stop(Duration.ofSeconds(5)).isClean()).isTrue();
    for (Thread each : before) {
      each.join();
    }
    for (Thread each : threads()) { // any that began during the stop
      each.join();
    }
    assertThat(threads()).isEmpty();
  }

  @Test
  void noThreadIsLeftByAnEngineThatWasRefused() throws Exception {
    InMemoryStore store = InMemoryStore.create();
    Task task = Task.named("t").every(Duration.ofHours(1)).mode(HaMode.LEADER).run(c -> {});
    try {
      Monotick.builder().store(store).replicaName("leak-test").task(task).task(task).build();
    } catch (IllegalArgumentException expected) {
      assertThat(expected).hasMessageContaining("taken");
    }
    for (Thread each : threads()) {
      each.join();
    }
    assertThat(threads()).isEmpty();
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("monotick-leak-test"))
        .toList();
  }

  private static Monotick engine(String name, CompletableFuture<Thread> thread) {
    return Monotick.builder()
        .store(InMemoryStore.create())
        .replicaName(name)
        .task(
            Task.named("t")
                .every(Duration.ofMillis(20))
                .mode(HaMode.ONE_REPLICA)
                .run(c -> thread.complete(Thread.currentThread())))
        .build();
  }
}
