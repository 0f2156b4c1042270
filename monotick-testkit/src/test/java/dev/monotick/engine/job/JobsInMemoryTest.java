package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.monotick.Monotick;
import dev.monotick.event.MonotickEvent;
import dev.monotick.event.MonotickEvent.JobEnded;
import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What people ask of jobs, from end to end on the store in memory. */
class JobsInMemoryTest {

  private static final JobKind<String> KIND = JobKind.named("work", String.class).maxAttempts(3);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final List<String> ran = new ArrayList<>();
  private final List<JobEnded> ended = new ArrayList<>();
  private final Monotick engine =
      Monotick.builder()
          .store(InMemoryStore.builder().time(scheduler.time().timeSource()).build())
          .time(scheduler.time().timeSource())
          .threads(scheduler.threads())
          .handler(
              KIND,
              job -> {
                ran.add(job.payload());
                if (job.payload().startsWith("fail")) {
                  return JobOutcome.fail("as wanted");
                }
                if (job.payload().startsWith("throw")) {
                  throw new IllegalStateException("as wanted");
                }
                return JobOutcome.done();
              })
          .build();
  private final Jobs jobs = engine.jobs();

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void jobsOfAChainRunOneAfterTheOther() {
    List<JobId> ids = ids(jobs.chain(List.of(KIND.of("a"), KIND.of("b"), KIND.of("c"))));
    start();
    assertThat(ran).containsExactly("a", "b", "c");
    assertThat(states(ids)).containsOnly(JobState.SUCCEEDED);
  }

  @Test
  void chainEndsWhereAJobDoesNotSucceed() {
    List<JobId> ids = ids(jobs.chain(List.of(KIND.of("a"), KIND.of("fail"), KIND.of("c"))));
    start();
    assertThat(ran).containsExactly("a", "fail");
    assertThat(states(ids)).containsExactly(JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED);
    assertThat(jobs.chain(List.of())).isEmpty();
  }

  @Test
  void lastJobOfABatchRunsWhenTheOthersHaveEndedHoweverTheyDid() {
    List<JobId> ids =
        ids(
            jobs.batch(
                List.of(KIND.of("a"), KIND.of("fail"), KIND.of("c").delay(Duration.ofSeconds(5))),
                KIND.of("last")));
    start();
    assertThat(ran).containsExactlyInAnyOrder("a", "fail");
    assertThat(states(ids).get(3)).isEqualTo(JobState.SCHEDULED);
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(ran).endsWith("c", "last");
    assertThat(states(ids))
        .containsExactly(JobState.SUCCEEDED, JobState.DEAD, JobState.SUCCEEDED, JobState.SUCCEEDED);
  }

  @Test
  void batchOfNothingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> jobs.batch(List.of(), KIND.of("last")))
        .withMessage("batch must have at least one job beside the last one");
  }

  @Test
  void idempotencyKeyGivesTheSameJobForADayWhateverBecameOfIt() {
    Enqueued first = jobs.enqueue(KIND.of("a").idempotencyKey("order 1"));
    assertThat(first.isNew()).isTrue();
    start();
    assertThat(states(List.of(first.id()))).containsExactly(JobState.SUCCEEDED);
    assertThat(jobs.enqueue(KIND.of("again").idempotencyKey("order 1")))
        .isEqualTo(new Enqueued(first.id(), false));
    assertThat(jobs.enqueue(KIND.of("other").idempotencyKey("order 2")).isNew()).isTrue();
    scheduler.advance(Duration.ofHours(24));
    assertThat(jobs.enqueue(KIND.of("next day").idempotencyKey("order 1")).isNew()).isTrue();
  }

  @Test
  void momentThatCannotBeIsRefusedAndTheJobKeepsItsOwn() {
    JobId id = jobs.enqueue(KIND.of("a").delay(Duration.ofMinutes(1))).id();
    for (Instant at : List.of(Instant.MIN, Instant.MAX)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> jobs.reschedule(id, at))
          .withMessageStartingWith("at must be between 1970-01-01T00:00:00Z and");
    }
    start();
    assertThat(ran).isEmpty();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(ran).containsExactly("a");
  }

  @Test
  void waitThatIsLongerThanAnyNumberEndsWithTheJob() throws InterruptedException {
    JobId id = jobs.enqueue(KIND.of("a")).id();
    start();
    assertThat(jobs.await(id, Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow().state())
        .isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void listenersHearOfEveryAttempt() {
    engine.subscribe(
        (MonotickEvent event) -> {
          if (event instanceof JobEnded end) {
            ended.add(end);
          }
        });
    JobId id = jobs.enqueue(KIND.of("throw")).id();
    start();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(ran).hasSize(3);
    assertThat(ended)
        .extracting(JobEnded::id, JobEnded::end, JobEnded::attempt, JobEnded::maxAttempts)
        .containsExactly(
            Tuple.tuple(id, "Retried", 1, 3),
            Tuple.tuple(id, "Retried", 2, 3),
            Tuple.tuple(id, "Died", 3, 3));
  }

  private void start() {
    engine.start();
    scheduler.advance(Duration.ofMillis(900));
  }

  private static List<JobId> ids(List<Enqueued> added) {
    return added.stream().map(Enqueued::id).toList();
  }

  private List<JobState> states(List<JobId> ids) {
    return ids.stream().map(id -> jobs.find(id).orElseThrow().state()).toList();
  }
}
