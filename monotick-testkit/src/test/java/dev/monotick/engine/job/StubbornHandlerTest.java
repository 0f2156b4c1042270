package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.MemberId;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On real threads: what does not listen cannot be stopped, but must not stop the others. */
@Timeout(60)
class StubbornHandlerTest {

  private static final JobKind<String> HASTY =
      JobKind.named("hasty", String.class).timeout(Duration.ofMillis(50));

  /** Is given up a second after it was asked to stop, long before it times out by itself. */
  private static final JobKind<String> CALM =
      JobKind.named("calm", String.class).timeout(Duration.ofSeconds(1));

  private static final JobKind<String> PATIENT =
      JobKind.named("patient", String.class).timeout(Duration.ofHours(1));

  private static final Duration LONG = Duration.ofSeconds(30);

  private final MemberId replica = MemberId.random();
  private final InMemoryStore store = InMemoryStore.create();
  private final CountDownLatch end = new CountDownLatch(1);
  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> leftAlone = new LinkedBlockingQueue<>();

  @AfterEach
  void letGo() {
    end.countDown();
  }

  @Test
  void handlerThatIgnoresItsInterruptIsLeftAloneAndTheOthersGoOn() throws Exception {
    try (Monotick monotick = start(1)) {
      JobId stubborn = monotick.jobs().enqueue(HASTY.of("stubborn")).id();
      JobId next = monotick.jobs().enqueue(HASTY.of("next")).id();
      Job over = monotick.jobs().await(stubborn, LONG).orElseThrow();
      assertThat(over.state()).isEqualTo(JobState.DEAD);
      assertThat(over.attempts().get(0).detail())
          .hasValueSatisfying(
              text -> assertThat(text).contains("timed out").contains("ignored the interrupt"));
      assertSucceeds(monotick, next);
    }
  }

  @Test
  void howManyAreLeftAloneIsToldUntilTheyEnd() throws Exception {
    try (Monotick monotick = start(1)) {
      monotick.jobs().enqueue(HASTY.of("stubborn"));
      assertThat(leftAlone.take()).isEqualTo(1);
      monotick.jobs().enqueue(HASTY.of("stubborn"));
      assertThat(leftAlone.take()).isEqualTo(2);
      end.countDown();
      assertThat(leftAlone.take()).isEqualTo(1);
      assertThat(leftAlone.take()).isZero();
    }
  }

  @Test
  void cancelledHandlersThatIgnoreTheirInterruptDoNotKeepTheirSlots() throws Exception {
    try (Monotick monotick = start(2)) {
      List<JobId> stubborn = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        stubborn.add(monotick.jobs().enqueue(PATIENT.of("stubborn")).id());
        begun.take();
      }
      JobId next = monotick.jobs().enqueue(PATIENT.of("next")).id();
      for (JobId id : stubborn) {
        assertThat(monotick.jobs().cancel(id, "ann", "enough")).isTrue();
      }
      assertSucceeds(monotick, next);
      assertThat(stubborn)
          .allMatch(id -> monotick.jobs().find(id).orElseThrow().state() == JobState.CANCELLED);
    }
  }

  @Test
  void whatAHandlerSaysCountsThoughItWasLeftAloneWhenMembershipWasLost() throws Exception {
    try (Monotick monotick = start(1)) {
      JobId stubborn = monotick.jobs().enqueue(PATIENT.of("stubborn")).id();
      begun.take();
      JobId next = monotick.jobs().enqueue(PATIENT.of("next")).id();
      store.replicas().leave(replica); // it comes back at its next beat, and nobody took its jobs
      assertSucceeds(monotick, next);
      assertThat(leftAlone.take()).isEqualTo(1);
      assertThat(monotick.jobs().find(stubborn).orElseThrow().state()).isEqualTo(JobState.RUNNING);
      end.countDown();
      assertSucceeds(monotick, stubborn);
      assertThat(leftAlone.take()).isZero();
    }
  }

  @Test
  void whatIsLeftAloneWhenMembershipWasLostIsADeadLetterOnceItsTimeIsOver() throws Exception {
    try (Monotick monotick = start(1)) {
      JobId stubborn = monotick.jobs().enqueue(CALM.of("stubborn")).id();
      begun.take();
      store.replicas().leave(replica);
      Job over = monotick.jobs().await(stubborn, LONG).orElseThrow();
      assertThat(over.attempts())
          .extracting(Job.Attempt::outcome)
          .containsExactly(Job.Attempt.Outcome.DIED);
      assertThat(over.attempts().get(0).detail())
          .hasValueSatisfying(text -> assertThat(text).contains("ignored the interrupt"));
    }
  }

  /** Virtual threads are carried by as many threads as there are processors. */
  @Test
  void handlersThatComputeForEverOnAllProcessorsDoNotStopTheOthers() throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    try (Monotick monotick = start(processors)) {
      for (int i = 0; i < processors; i++) {
        monotick.jobs().enqueue(HASTY.of("compute"));
        begun.take();
      }
      JobId next = monotick.jobs().enqueue(PATIENT.of("next")).id();
      assertSucceeds(monotick, next);
      assertThat(end.getCount()).as("they still compute").isEqualTo(1);
    }
  }

  /** As if nobody had looked yet for jobs of replicas that are gone. */
  private static @Nullable Object nobodyRescues(
      Method method, Object @Nullable [] arguments, InterceptingStore.Rest rest) throws Throwable {
    return method.getName().equals("rescue") ? Integer.valueOf(0) : rest.ask();
  }

  private Monotick start(int concurrency) {
    MonotickBuilder builder =
        Monotick.builder()
            .store(new InterceptingStore(store, StubbornHandlerTest::nobodyRescues))
            .replicaId(replica)
            .concurrency(concurrency)
            .metrics(
                new MetricSink() {
                  @Override
                  public void jobHandlersAbandoned(int handlers) {
                    leftAlone.add(handlers);
                  }
                });
    for (JobKind<String> kind : List.of(HASTY, CALM, PATIENT)) {
      builder.handler(kind, job -> handle(job.payload()));
    }
    Monotick monotick = builder.build();
    monotick.start();
    return monotick;
  }

  private JobOutcome handle(String what) {
    begun.add(what);
    if (what.equals("stubborn")) {
      awaitWhateverHappens(end);
    } else if (what.equals("compute")) {
      while (end.getCount() > 0) {
        Thread.onSpinWait();
      }
    }
    return JobOutcome.done();
  }

  private static void assertSucceeds(Monotick monotick, JobId id) throws InterruptedException {
    assertThat(monotick.jobs().await(id, LONG).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
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
