package dev.monotick.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopThreadTest {

  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final LoopThread loop = new LoopThread(Ticker.system());

  @BeforeEach
  void start() {
    loop.start(new NamedThreads("loop", true));
  }

  @AfterEach
  void close() {
    loop.close();
  }

  private static Thread helper(Runnable work) {
    Thread thread = new HelperThread(work, "helper");
    thread.start();
    return thread;
  }

  @Test
  void helperRunsItsActionItselfWhileTheLoopSleeps() throws Exception {
    CompletableFuture<Thread> by = new CompletableFuture<>();
    Thread helper = helper(() -> loop.execute(() -> by.complete(Thread.currentThread())));
    assertThat(by.get(10, TimeUnit.SECONDS)).isSameAs(helper);
  }

  @Test
  void othersLeaveTheirsToTheLoop() throws Exception {
    CompletableFuture<String> by = new CompletableFuture<>();
    loop.execute(() -> by.complete(Thread.currentThread().getName()));
    assertThat(by.get(10, TimeUnit.SECONDS)).startsWith("loop");
  }

  @Test
  void oneActionRunsAtATimeAndThoseOfAThreadInOrder() throws Exception {
    int threads = 6;
    int each = 5_000;
    AtomicBoolean inside = new AtomicBoolean();
    AtomicInteger together = new AtomicInteger();
    List<List<Integer>> seen = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(threads * each);
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      List<Integer> own = new ArrayList<>(); // only actions touch it, one at a time
      seen.add(own);
      Runnable work =
          () -> {
            for (int i = 0; i < each; i++) {
              int number = i;
              loop.execute(
                  () -> {
                    if (!inside.compareAndSet(false, true)) {
                      together.incrementAndGet();
                    }
                    own.add(number);
                    inside.set(false);
                    done.countDown();
                  });
            }
          };
      Thread thread = t % 2 == 0 ? new HelperThread(work, "helper-" + t) : new Thread(work);
      running.add(thread);
    }
    running.forEach(Thread::start);
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Boolean> checked = new CompletableFuture<>();
    loop.execute(
        () ->
            checked.complete(
                seen.stream()
                    .allMatch(
                        own -> own.size() == each && own.equals(own.stream().sorted().toList()))));
    assertThat(checked.get(10, TimeUnit.SECONDS)).isTrue();
    assertThat(together).hasValue(0);
  }

  @Test
  void timersAndOthersGoOnAfterAHelperWasBusy() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    helper(
        () ->
            loop.execute(
                () -> {
                  begun.countDown();
                  await(goOn);
                }));
    await(begun);
    CountDownLatch timer = new CountDownLatch(1);
    CountDownLatch action = new CountDownLatch(1);
    loop.schedule(0, timer::countDown);
    loop.execute(action::countDown);
    assertThat(timer.getCount() + action.getCount()).isEqualTo(2); // the helper is not done
    goOn.countDown();
    await(timer);
    await(action);
  }

  @Test
  void timerThatAHelperSetsIsKept() throws Exception {
    CountDownLatch timer = new CountDownLatch(1);
    loop.schedule(HOUR, () -> {}); // what the thread waits for
    helper(() -> loop.execute(() -> loop.schedule(1_000_000, timer::countDown)));
    await(timer);
  }

  @Test
  void closedLoopTakesNothing() throws Exception {
    loop.close();
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    helper(() -> taken.complete(loop.execute(() -> {})));
    assertThat(taken.get(10, TimeUnit.SECONDS)).isFalse();
    assertThat(loop.execute(() -> {})).isFalse();
  }

  @Test
  void actionThatFailsHoldsNobodyUp() throws Exception {
    CountDownLatch after = new CountDownLatch(1);
    helper(
        () -> {
          loop.execute(
              () -> {
                throw new IllegalStateException("wanted");
              });
          loop.execute(after::countDown);
        });
    await(after);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
