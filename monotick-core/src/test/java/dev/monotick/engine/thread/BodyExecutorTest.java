package dev.monotick.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BodyExecutorTest {

  private static final int MOST = BodyExecutor.MOST_PLATFORM_THREADS;

  private final CountDownLatch end = new CountDownLatch(1);
  private final CountDownLatch endOfFirst = new CountDownLatch(1);
  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();

  @AfterEach
  void letGo() {
    end.countDown();
    endOfFirst.countDown();
  }

  @Test
  void whatIsLeftAloneTakesNoPlace() throws InterruptedException {
    BodyExecutor bodies = new BodyExecutor("test", null);
    EngineThreads.Body first = bodies.run(() -> body("first", endOfFirst));
    for (int i = 1; i < MOST; i++) {
      bodies.run(() -> body("other", end));
    }
    for (int i = 0; i < MOST; i++) {
      begun.take();
    }
    bodies.run(() -> body("waited", end));
    bodies.run(() -> body("waits", end));
    assertThat(begun).isEmpty();

    first.abandon();
    first.abandon(); // once
    assertThat(begun.take()).isEqualTo("waited");
    assertThat(begun).isEmpty();

    endOfFirst.countDown(); // it has no place to give
    bodies.run(() -> {}); // behind the one that waits
    assertThat(begun).isEmpty();
    end.countDown();
    assertThat(begun.take()).isEqualTo("waits");
    bodies.close();
  }

  @Test
  void whereACarrierMayBeLostForEverOthersGetThreadsOfTheirOwn() throws InterruptedException {
    Carriers carriers = new Carriers();
    BodyExecutor bodies = new BodyExecutor("test", carriers);
    EngineThreads.Body first = bodies.run(() -> body("first", endOfFirst));
    assertThat(begun.take()).isEqualTo("first");
    bodies.run(() -> body("on its way", end));
    assertThat(begun).as("it has no carrier").isEmpty();

    first.abandon();
    assertThat(begun.take()).isEqualTo("on its way");
    bodies.run(() -> body("later", end));
    assertThat(begun.take()).isEqualTo("later");
    assertThat(carriers.asked).hasValue(2);

    endOfFirst.countDown();
    carriers.first.join();
    bodies.run(() -> body("after all", end));
    assertThat(carriers.asked).as("carriers are trusted again").hasValue(3);
    bodies.close();
  }

  private void body(String name, CountDownLatch until) {
    begun.add(name);
    while (until.getCount() > 0) {
      try {
        until.await();
      } catch (InterruptedException e) {
        begun.add("interrupted " + name);
      }
    }
  }

  /** Virtual threads of which only the first is ever carried. */
  private static final class Carriers implements ThreadFactory {

    private final AtomicInteger asked = new AtomicInteger();
    private Thread first = new Thread();

    @Override
    public Thread newThread(Runnable work) {
      if (asked.incrementAndGet() > 1) {
        return new Thread(() -> {});
      }
      first = new Thread(work);
      return first;
    }
  }
}
