package dev.monotick.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On real threads: what does not listen cannot be stopped, but must not stop the others. */
@Timeout(60)
class StubbornHandlerTest {

  private static final JobKind<String> KIND =
      JobKind.named("stubborn", String.class).timeout(Duration.ofMillis(50));

  @Test
  void handlerThatIgnoresItsInterruptIsLeftAloneAndTheOthersGoOn() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (Monotick monotick =
        Monotick.builder()
            .store(InMemoryStore.create())
            .concurrency(1)
            .handler(
                KIND,
                job -> {
                  if (job.payload().equals("stubborn")) {
                    awaitWhateverHappens(end);
                  }
                  return JobOutcome.done();
                })
            .build()) {
      monotick.start();
      JobId stubborn = monotick.jobs().enqueue(KIND.of("stubborn")).id();
      JobId next = monotick.jobs().enqueue(KIND.of("next")).id();
      Job over = monotick.jobs().await(stubborn, Duration.ofSeconds(20)).orElseThrow();
      assertThat(over.state()).isEqualTo(JobState.DEAD);
      assertThat(over.attempts().get(0).detail())
          .hasValueSatisfying(text -> assertThat(text).contains("ignored the interrupt"));
      assertThat(monotick.jobs().await(next, Duration.ofSeconds(20)).orElseThrow().state())
          .isEqualTo(JobState.SUCCEEDED);
      end.countDown();
    }
  }

  private static void awaitWhateverHappens(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        assertThat(latch.getCount()).isNotNegative(); // goes on, however often it is asked to stop
      }
    }
  }
}
