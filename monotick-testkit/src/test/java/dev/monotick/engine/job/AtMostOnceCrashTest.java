package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.error.StoreException;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.FakeTime;
import dev.monotick.work.Effect;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replica that has few slots, and hundreds of jobs that wait for them, is lost. */
@Timeout(60)
class AtMostOnceCrashTest {

  private static final int SLOTS = 10;
  private static final int TAKEN = 500;

  private static final JobKind<String> ONCE =
      JobKind.named("once", String.class).effect(Effect.AT_MOST_ONCE);

  private final FakeTime time = new FakeTime(); // stands still: nothing waits too long
  private final InMemoryStore store = InMemoryStore.builder().time(time.timeSource()).build();
  private final Set<JobId> begun = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean killed = new AtomicBoolean();
  private final CountDownLatch busy = new CountDownLatch(SLOTS);
  private final CountDownLatch end = new CountDownLatch(1);

  @Test
  void onlyJobsWhoseHandlerBeganAreUnknown() throws Exception {
    Monotick doomed =
        Monotick.builder()
            .store(new InterceptingStore(store, this::whileItLives))
            .time(time.timeSource())
            .concurrency(SLOTS)
            .handler(
                ONCE,
                job -> {
                  begun.add(job.id());
                  if (begun.size() == SLOTS) {
                    killed.set(true);
                  }
                  busy.countDown();
                  end.await();
                  return JobOutcome.done();
                })
            .build();
    doomed.jobs().enqueue(IntStream.range(0, TAKEN).mapToObj(i -> ONCE.of("")).toList());
    doomed.start();
    busy.await();
    assertThat(in(JobState.RUNNING)).hasSize(TAKEN);
    store.replicas().leave(new MemberId(doomed.replicaId()));
    assertThat(store.jobs().rescue()).isEqualTo(TAKEN);
    assertThat(in(JobState.UNKNOWN)).isEqualTo(begun).hasSize(SLOTS);
    assertThat(in(JobState.READY)).hasSize(TAKEN - SLOTS).doesNotContainAnyElementsOf(begun);
    killed.set(false); // so that it can stop
    end.countDown();
    doomed.stop(Duration.ZERO);
  }

  /** Takes many jobs ahead, as a replica does whose jobs are quick; says nothing once killed. */
  private @Nullable Object whileItLives(
      Method method, Object @Nullable [] arguments, InterceptingStore.Rest rest) throws Throwable {
    boolean isExchange = method.getName().equals("exchange");
    if (killed.get() && (isExchange || method.getName().equals("complete"))) {
      throw new StoreException("killed");
    }
    if (isExchange && arguments != null) {
      ExchangeRequest request = (ExchangeRequest) arguments[0];
      ClaimRequest claim = request.claim();
      ClaimRequest larger =
          new ClaimRequest(claim.member(), claim.number(), TAKEN, claim.kinds(), claim.queues());
      arguments[0] = new ExchangeRequest(request.completions(), larger, false);
    }
    return rest.ask();
  }

  private Set<JobId> in(JobState state) {
    return store.jobs().list(JobFilter.in(state), TAKEN).stream()
        .map(job -> job.id())
        .collect(Collectors.toSet());
  }
}
