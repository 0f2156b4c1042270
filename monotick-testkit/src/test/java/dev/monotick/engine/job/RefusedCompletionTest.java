package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.error.SchedulerException;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.testkit.ManualScheduler;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A completion that the store refuses keeps its outcome, is sent until the store takes it, and does
 * not hold up the completions that came with it.
 */
class RefusedCompletionTest {

  private static final JobKind<String> KIND = JobKind.named("work", String.class);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();

  private final List<Completion.End> sent = new ArrayList<>(); // for jobs whose payload is "bad"
  private boolean refuses = true;

  /** Refuses all completions of jobs whose payload is "bad", as a database without a grant does. */
  private @Nullable Object picky(
      Method method, Object @Nullable [] arguments, InterceptingStore.Rest rest) throws Throwable {
    for (Object each : completions(method, arguments)) {
      Completion finish = (Completion) each;
      if (Arrays.equals(finish.job().payload(), "bad".getBytes(StandardCharsets.UTF_8))) {
        sent.add(finish.result());
        if (refuses) {
          throw new SchedulerException("permission denied (SQL state 42501)");
        }
      }
    }
    return rest.ask();
  }

  private static List<?> completions(Method method, Object @Nullable [] arguments) {
    if (arguments == null) {
      return List.of();
    }
    return switch (method.getName()) {
      case "complete" -> (List<?>) arguments[0];
      case "exchange" -> ((ExchangeRequest) arguments[0]).completions();
      default -> List.of();
    };
  }

  @Test
  void othersAreRecordedAndTheRefusedOneIsKeptAsItWas() {
    Monotick engine = engine();
    Jobs jobs = engine.jobs();
    List<JobId> good = ids(jobs, "a", "b");
    JobId bad = ids(jobs, "bad").iterator().next();
    List<JobId> after = ids(jobs, "c", "d");
    engine.start();
    scheduler.advance(Duration.ofMinutes(10));
    assertThat(good).allMatch(id -> state(jobs, id) == JobState.SUCCEEDED);
    assertThat(after).allMatch(id -> state(jobs, id) == JobState.SUCCEEDED);
    assertThat(state(jobs, bad)).isEqualTo(JobState.RUNNING);
    assertThat(sent).as("sent again and again").hasSizeBetween(10, 40);
    assertThat(sent).as("unchanged").allMatch(end -> end == sent.get(0));
    assertThat(sent.get(0)).isInstanceOf(Completion.Succeeded.class);
    refuses = false;
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(state(jobs, bad)).isEqualTo(JobState.SUCCEEDED);
    assertThat(jobs.find(bad).orElseThrow().attempts()).hasSize(1);
    int inAll = sent.size();
    scheduler.advance(Duration.ofMinutes(10));
    assertThat(sent).as("nothing after it was recorded").hasSize(inAll);
    engine.close();
  }

  @Test
  void stopWaitsUntilTheOthersAreRecorded() {
    Monotick engine = engine();
    Jobs jobs = engine.jobs();
    List<JobId> all = ids(jobs, "a", "bad", "b");
    engine.start();
    scheduler.advance(Duration.ofMillis(10)); // refused by now, and not sent alone yet
    assertThat(all).allMatch(id -> state(jobs, id) == JobState.RUNNING);
    engine.stop(Duration.ofSeconds(5));
    assertThat(all.stream().map(id -> state(jobs, id)))
        .containsExactly(JobState.SUCCEEDED, JobState.RUNNING, JobState.SUCCEEDED);
  }

  /** However long the delay has grown: the process may end with this stop. */
  @Test
  void stopSendsRefusedCompletionsAtOnce() {
    Monotick engine = engine();
    Jobs jobs = engine.jobs();
    JobId bad = ids(jobs, "bad").iterator().next();
    engine.start();
    scheduler.advance(Duration.ofMinutes(10));
    refuses = false;
    assertThat(engine.stop(Duration.ofSeconds(1)).isClean()).isTrue();
    assertThat(state(jobs, bad)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void failureThatIsRefusedKeepsItsText() {
    Monotick engine =
        engine(
            job -> {
              throw new IllegalStateException("no such mailbox");
            });
    Jobs jobs = engine.jobs();
    JobId bad = ids(jobs, "bad").iterator().next();
    engine.start();
    scheduler.advance(Duration.ofSeconds(30));
    refuses = false;
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(jobs.find(bad).orElseThrow().attempts().get(0).detail().orElseThrow())
        .contains("no such mailbox")
        .doesNotContain("permission denied");
    engine.close();
  }

  private Monotick engine() {
    return engine(job -> JobOutcome.done());
  }

  private Monotick engine(JobHandler<String> handler) {
    return Monotick.builder()
        .store(new InterceptingStore(store, this::picky))
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads())
        .handler(KIND, handler)
        .build();
  }

  private static List<JobId> ids(Jobs jobs, String... payloads) {
    return Arrays.stream(payloads)
        .map(payload -> jobs.enqueue(List.of(KIND.of(payload))))
        .flatMap(Collection::stream)
        .map(added -> added.id())
        .toList();
  }

  private static JobState state(Jobs jobs, JobId id) {
    return jobs.find(id).orElseThrow().state();
  }
}
