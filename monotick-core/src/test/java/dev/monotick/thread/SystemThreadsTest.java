package dev.monotick.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SystemThreadsTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final SystemThreads threads = new SystemThreads("test");

  @AfterEach
  void close() {
    threads.close();
  }

  @Test
  void callThatComesOfAReplyRunsOnTheSameThread() throws Exception {
    List<String> names = new CopyOnWriteArrayList<>();
    CompletableFuture<String> end = new CompletableFuture<>();
    threads.call(
        "first",
        LONG,
        () -> names.add(Thread.currentThread().getName()),
        first ->
            threads.call(
                "second",
                LONG,
                () -> names.add(Thread.currentThread().getName()),
                second -> end.complete("done")));
    assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(names).hasSize(2);
    assertThat(names.get(1)).isEqualTo(names.get(0));
  }

  @Test
  void callsOfOneReplyRunTogether() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    CompletableFuture<Boolean> met = new CompletableFuture<>();
    threads.call(
        "first",
        LONG,
        () -> 1,
        first -> {
          for (int i = 0; i < 2; i++) {
            threads.call("next", LONG, () -> meet(both), reply -> met.complete(true));
          }
        });
    assertThat(met.get(10, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean meet(CountDownLatch both) throws InterruptedException {
    both.countDown();
    return both.await(10, TimeUnit.SECONDS);
  }

  @Test
  void callThatTakesTooLongIsAnsweredAndInterrupted() throws Exception {
    CompletableFuture<Result<Boolean>> answer = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    threads.call(
        "slow",
        Duration.ofMillis(50),
        () -> {
          try {
            return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            interrupted.complete(true);
            throw e;
          }
        },
        answer::complete);
    assertThat(answer.get(10, TimeUnit.SECONDS).failure()).isInstanceOf(TimeoutException.class);
    assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void checkIsMadeWhileABodyRunsAndWhileNoneDoes() throws Exception {
    CountDownLatch idle = new CountDownLatch(1);
    CountDownLatch[] whileRunning = {new CountDownLatch(Integer.MAX_VALUE)};
    threads.execute(
        () ->
            threads.watch(
                () -> {
                  idle.countDown();
                  whileRunning[0].countDown();
                }));
    assertThat(idle.await(10, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Boolean> checked = new CompletableFuture<>();
    threads.execute(
        () -> {
          whileRunning[0] = new CountDownLatch(5);
          CountDownLatch five = whileRunning[0];
          threads.body("body", () -> checked.complete(awaited(five)));
        });
    assertThat(checked.get(20, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }
}
