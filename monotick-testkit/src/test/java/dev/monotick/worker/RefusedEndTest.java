package dev.monotick.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobTurn;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.testkit.ManualScheduler;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An end that the store cannot record must not hold up the ends that came with it. */
class RefusedEndTest {

  private static final JobKind<String> KIND = JobKind.named("work", String.class);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();

  /** Does not like successes of jobs whose payload is "bad". */
  private static @Nullable Object picky(
      Method method, Object @Nullable [] arguments, TappedStore.Rest rest) throws Throwable {
    if (arguments != null && arguments[0] instanceof JobTurn turn) {
      turn.finishes().forEach(RefusedEndTest::refuse);
    }
    return rest.ask();
  }

  private static void refuse(JobFinish finish) {
    if (Arrays.equals(finish.job().payload(), "bad".getBytes(StandardCharsets.UTF_8))
        && finish.end() instanceof JobFinish.Succeeded) {
      throw new IllegalArgumentException("not this one");
    }
  }

  @Test
  void othersAreRecordedAndTheRefusedOneIsADeadLetter() {
    Monotick engine = engine();
    Jobs jobs = engine.jobs();
    List<JobId> good = ids(jobs, "a", "b");
    JobId bad = ids(jobs, "bad").iterator().next();
    List<JobId> after = ids(jobs, "c", "d");
    engine.start();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(good).allMatch(id -> state(jobs, id) == JobState.SUCCEEDED);
    assertThat(after).allMatch(id -> state(jobs, id) == JobState.SUCCEEDED);
    assertThat(state(jobs, bad)).isEqualTo(JobState.DEAD);
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
    assertThat(engine.stop(Duration.ofSeconds(5)).isClean()).isTrue();
    assertThat(all.stream().map(id -> state(jobs, id)))
        .containsExactly(JobState.SUCCEEDED, JobState.DEAD, JobState.SUCCEEDED);
  }

  private Monotick engine() {
    return Monotick.builder()
        .store(new TappedStore(store, RefusedEndTest::picky))
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads())
        .handler(KIND, job -> JobOutcome.done())
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
