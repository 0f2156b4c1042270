package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.work.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A delay that cannot be is the failure of the job that wants it, and of no other. */
class BadDelayTest {

  private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);

  private final SimulatedCluster cluster = SimulatedCluster.builder().replicas(1).start();
  private final Map<String, Instant> dueAt = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void snoozeAndRetryThatCannotBeFailTheAttempt() {
    List<Duration> bad = List.of(LONGEST, Duration.ofNanos(-1), Duration.ofDays(367));
    for (Duration delay : bad) {
      String message = "delay must be between PT0S and P366D, but was " + delay;
      assertThat(retried("snooze", RetryPolicy.ofDefaults(), job -> JobOutcome.snooze(delay)))
          .contains(message);
      assertThat(
              retried("retry", RetryPolicy.ofDefaults(), job -> JobOutcome.retryAfter(delay, "no")))
          .contains(message);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // a handler that nobody checked
  void outcomeWithoutADelayOrReasonFailsTheAttempt() {
    List<JobHandler<String>> handlers =
        List.of(
            job -> JobOutcome.snooze(null),
            job -> JobOutcome.retryAfter(Duration.ZERO, null),
            job -> JobOutcome.fail(null),
            job -> JobOutcome.discard(null));
    for (JobHandler<String> handler : handlers) {
      assertThat(retried("null", RetryPolicy.ofDefaults(), handler))
          .contains("NullPointerException");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // a policy that nobody checked
  void policyThatGivesNoDelayIsReplacedByTheDefault() {
    String told =
        "the next attempt comes after PT1S: delays of a retry policy must be between PT0S and"
            + " PT8784H, but the kind's gave ";
    assertThat(retried("negative", custom((n, r) -> Duration.ofNanos(-1)), BadDelayTest::fails))
        .contains("broken")
        .contains(told + "PT-0.000000001S");
    assertThat(retried("nothing", custom((n, r) -> null), BadDelayTest::fails))
        .contains("broken")
        .contains(told + "null");
    RetryPolicy throwing =
        custom(
            (n, r) -> {
              throw new ArithmeticException("long overflow");
            });
    assertThat(retried("throwing", throwing, BadDelayTest::fails))
        .contains("broken")
        .contains(told + "no delay but failed: java.lang.ArithmeticException: long overflow");
    Instant inASecond = cluster.scheduler().time().now().plusSeconds(1);
    assertThat(dueAt.values()).hasSize(3).allMatch(due -> due.isBefore(inASecond));
  }

  @Test
  void delayOfAPolicyThatIsTooLongIsShortened() {
    assertThat(retried("huge", custom((n, r) -> LONGEST), BadDelayTest::fails))
        .contains("broken")
        .contains("the next attempt comes after PT8784H: ")
        .contains("but the kind's gave " + LONGEST);
    assertThat(dueAt.get("huge"))
        .isBetween(
            cluster.scheduler().time().now().plus(Duration.ofDays(365)),
            cluster.scheduler().time().now().plus(Duration.ofDays(366)));
  }

  @Test
  void failureThatCannotSayItsCauseIsRepeated() {
    RetryPolicy policy = RetryPolicy.ofDefaults().permanentOn(InterruptedException.class);
    assertThat(
            retried(
                "cause",
                policy,
                job -> {
                  throw new Nameless();
                }))
        .contains(Nameless.class.getName());
  }

  private static final class Nameless extends RuntimeException {

    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      throw new UnsupportedOperationException("not known");
    }
  }

  private static JobOutcome fails(Object job) {
    throw new IllegalStateException("broken");
  }

  private static RetryPolicy custom(RetryPolicy.Delays delays) {
    return RetryPolicy.custom(delays);
  }

  private int kinds;

  /** Runs a job, and one beside it that must succeed; returns what its first attempt tells. */
  private String retried(String name, RetryPolicy policy, JobHandler<String> handler) {
    JobKind<String> kind = JobKind.named(name + ++kinds, String.class).retry(policy);
    JobKind<String> good = JobKind.named("good" + kinds, String.class);
    cluster.replica(0).handle(kind, handler);
    cluster.replica(0).handle(good, job -> JobOutcome.done());
    JobId id = cluster.jobs().enqueue(kind.of("a")).id();
    JobId beside = cluster.jobs().enqueue(good.of("b")).id();
    cluster.advance(Duration.ofMillis(500));
    assertThat(find(beside).state()).isEqualTo(JobState.SUCCEEDED);
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.RETRYING);
    assertThat(job.attempts()).extracting(Job.Attempt::outcome).containsExactly(Outcome.RETRIED);
    dueAt.put(name, job.dueAt().orElseThrow());
    return job.attempts().get(0).detail().orElseThrow();
  }

  private Job find(JobId id) {
    return cluster.jobs().find(id).orElseThrow();
  }
}
