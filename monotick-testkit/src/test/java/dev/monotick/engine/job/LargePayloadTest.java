package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.error.StoreException;
import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.testkit.ManualScheduler;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A payload that does not come with the claim is read when its job begins. */
class LargePayloadTest {

  private static final JobKind<String> KIND = JobKind.named("work", String.class);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final List<String> ran = new ArrayList<>();
  private final AtomicInteger failures = new AtomicInteger();

  /** Gives jobs without their payloads, and cannot be asked for them at first. */
  private @Nullable Object sparing(
      Method method, Object @Nullable [] arguments, InterceptingStore.Rest rest) throws Throwable {
    if (method.getName().equals("find") && failures.getAndDecrement() > 0) {
      throw new StoreException("out of reach");
    }
    Object reply = rest.ask();
    return reply instanceof ExchangeReply exchange ? without(exchange) : reply;
  }

  private static ExchangeReply without(ExchangeReply exchange) {
    ClaimReply claim = exchange.claim();
    List<ClaimedJob> jobs =
        claim.jobs().stream()
            .map(
                job ->
                    new ClaimedJob(
                        job.owner(),
                        job.run(),
                        job.lane(),
                        job.version(),
                        null,
                        job.rules(),
                        job.limitKey(),
                        job.readyAt(),
                        job.headers()))
            .toList();
    return new ExchangeReply(
        exchange.completed(), new ClaimReply(jobs, claim.more(), claim.nextDue(), claim.used()));
  }

  @Test
  void isReadWhenTheJobBegins() {
    assertThat(run(0).attempts()).hasSize(1);
  }

  @Test
  void whileItCannotBeReadTheJobIsGivenBackWithoutCostingAnAttempt() {
    assertThat(run(2).attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(
            Job.Attempt.Outcome.HANDED_BACK,
            Job.Attempt.Outcome.HANDED_BACK,
            Job.Attempt.Outcome.SUCCEEDED);
  }

  private Job run(int failed) {
    failures.set(failed);
    try (Monotick engine =
        Monotick.builder()
            .store(new InterceptingStore(store, this::sparing))
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .handler(
                KIND,
                job -> {
                  ran.add(job.payload() + " " + job.attempt());
                  return JobOutcome.done();
                })
            .build()) {
      JobId id = engine.jobs().enqueue(KIND.of("large")).id();
      engine.start();
      scheduler.advance(Duration.ofSeconds(30));
      assertThat(ran).containsExactly("large 1");
      Job job = store.jobs().find(id).orElseThrow();
      assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
      return job;
    }
  }
}
