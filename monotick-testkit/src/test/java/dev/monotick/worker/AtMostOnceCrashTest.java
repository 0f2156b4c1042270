package dev.monotick.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.job.store.JobFilter;
import dev.monotick.job.store.JobTurn;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.store.StoreException;
import dev.monotick.task.Effect;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replica that has few slots, and hundreds of jobs that wait for them, is lost. */
@Timeout(60)
class AtMostOnceCrashTest {

  private static final int SLOTS = 10;
  private static final int JOBS = 60_000;
  private static final int QUICK = 30_000; // they make the pace by which jobs are taken ahead

  private static final JobKind<String> ONCE =
      JobKind.named("once", String.class).effect(Effect.AT_MOST_ONCE);

  private final InMemoryStore store = InMemoryStore.builder().endedJobs(2 * JOBS).build();
  private final Set<JobId> begun = ConcurrentHashMap.newKeySet();
  private final AtomicInteger begunLast = new AtomicInteger();
  private final AtomicBoolean killed = new AtomicBoolean();
  private final Semaphore quick = new Semaphore(QUICK);
  private final CountDownLatch busy = new CountDownLatch(SLOTS);
  private final CountDownLatch end = new CountDownLatch(1);

  @Test
  void onlyJobsWhoseHandlerBeganAreUnknown() throws Exception {
    Monotick doomed =
        Monotick.builder()
            .store(new TappedStore(store, this::whileItLives))
            .concurrency(SLOTS)
            .handler(
                ONCE,
                job -> {
                  begun.add(job.id());
                  if (!quick.tryAcquire()) {
                    killed.set(begunLast.incrementAndGet() == SLOTS);
                    busy.countDown();
                    end.await();
                  }
                  return JobOutcome.done();
                })
            .build();
    doomed.jobs().enqueue(IntStream.range(0, JOBS).mapToObj(i -> ONCE.of("")).toList());
    doomed.start();
    busy.await();
    store.replicas().leave(doomed.replicaId());
    assertThat(store.jobs().rescue()).as("runs that it had").isGreaterThan(10 * SLOTS);
    assertThat(begun).containsAll(in(JobState.UNKNOWN));
    assertThat(in(JobState.UNKNOWN)).hasSizeGreaterThanOrEqualTo(SLOTS);
    assertThat(in(JobState.READY)).doesNotContainAnyElementsOf(begun);
    end.countDown();
    doomed.stop(Duration.ZERO);
  }

  /** A process that was killed says no more. */
  private @Nullable Object whileItLives(
      Method method, Object @Nullable [] arguments, TappedStore.Rest rest) throws Throwable {
    if (killed.get() && arguments != null && arguments[0] instanceof JobTurn) {
      throw new StoreException("killed");
    }
    return rest.ask();
  }

  private Set<JobId> in(JobState state) {
    return store.jobs().list(JobFilter.in(state), JOBS).stream()
        .map(job -> job.id())
        .collect(Collectors.toSet());
  }
}
