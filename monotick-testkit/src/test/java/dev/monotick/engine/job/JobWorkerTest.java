package dev.monotick.engine.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.job.Job;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.JobStore;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.work.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a worker makes of what handlers do, in virtual time. */
class JobWorkerTest {

  private static final JobKind<String> MAIL =
      JobKind.named("mail", String.class).retry(RetryPolicy.fixed(Duration.ofSeconds(10)));

  private final SimulatedCluster cluster = SimulatedCluster.builder().replicas(2).start();
  private final List<String> done = new ArrayList<>();

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void jobRunsOnceOnOneOfTheReplicas() {
    handle(MAIL, job -> done(job.payload()));
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(1));
    assertThat(done).containsExactly("a");
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Job.Attempt.Outcome.SUCCEEDED);
  }

  @Test
  void resultIsKept() {
    handle(MAIL, job -> JobOutcome.done("42"));
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(1));
    assertThat(new String(find(id).result().orElseThrow(), UTF_8)).isEqualTo("42");
  }

  @Test
  void whatAHandlerAddsAsItsChildrenHasItAsParent() {
    List<JobId> children = new ArrayList<>();
    handle(
        MAIL,
        job -> {
          if (job.payload().equals("parent")) {
            children.add(jobs().jobs().childrenOf(job.id()).enqueue(MAIL.of("child")).id());
          }
          return done(job.payload());
        });
    JobId parent = enqueue("parent");
    cluster.advance(Duration.ofSeconds(2));
    assertThat(done).containsExactly("parent", "child");
    assertThat(find(children.get(0)).parent()).contains(parent);
    assertThat(find(parent).parent()).isEmpty();
  }

  @Test
  void failedAttemptIsRepeatedAfterTheDelayOfItsPolicyUntilThereAreNoMore() {
    handle(
        MAIL.maxAttempts(3),
        job -> {
          done.add(job.attempt() + " of " + job.maxAttempts());
          throw new IllegalStateException("broken");
        });
    JobId id = enqueue(MAIL.maxAttempts(3), "a");
    cluster.advance(Duration.ofSeconds(1));
    assertThat(find(id).state()).isEqualTo(JobState.RETRYING);
    cluster.advance(Duration.ofSeconds(8));
    assertThat(done).hasSize(1);
    cluster.advance(Duration.ofSeconds(30));
    assertThat(done).containsExactly("1 of 3", "2 of 3", "3 of 3");
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.DEAD);
    assertThat(job.attempts().get(2).detail())
        .hasValueSatisfying(
            text -> assertThat(text).contains("broken").contains("IllegalStateException"));
  }

  @Test
  void permanentFailureIsNotRepeated() {
    handle(
        MAIL.retry(RetryPolicy.ofDefaults().permanentOn(UnsupportedOperationException.class)),
        job -> {
          throw new IllegalStateException(new UnsupportedOperationException());
        });
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(1));
    assertThat(find(id).state()).isEqualTo(JobState.DEAD);
  }

  @Test
  void snoozedJobComesBackAndHasLostNoAttempt() {
    handle(
        MAIL,
        job ->
            job.run() == 1
                ? JobOutcome.snooze(Duration.ofMinutes(1))
                : done(job.run() + "/" + job.attempt()));
    enqueue("a");
    cluster.advance(Duration.ofSeconds(59));
    assertThat(done).isEmpty();
    cluster.advance(Duration.ofSeconds(5));
    assertThat(done).containsExactly("2/1");
  }

  @Test
  void handlerDecidesWhenToTryAgainWhetherToDiscardAndWhetherToFail() {
    handle(
        MAIL,
        job ->
            switch (job.payload()) {
              case "later" -> JobOutcome.retryAfter(Duration.ofHours(1), "busy");
              case "not any more" -> JobOutcome.discard("gone");
              default -> JobOutcome.fail("wrong address");
            });
    JobId later = enqueue("later");
    JobId discarded = enqueue("not any more");
    JobId failed = enqueue("wrong");
    cluster.advance(Duration.ofSeconds(1));
    assertThat(find(later).state()).isEqualTo(JobState.RETRYING);
    assertThat(find(discarded).state()).isEqualTo(JobState.CANCELLED);
    assertThat(find(failed).state()).isEqualTo(JobState.DEAD);
    assertThat(find(failed).attempts().get(0).detail()).contains("wrong address");
  }

  @Test
  void handlerThatThrowsAnErrorHurtsOnlyItself() {
    handle(
        MAIL,
        job -> {
          if (job.payload().equals("bad")) {
            throw new StackOverflowError();
          }
          return done(job.payload());
        });
    JobId bad = enqueue("bad");
    enqueue("good");
    cluster.advance(Duration.ofSeconds(1));
    assertThat(done).containsExactly("good");
    assertThat(find(bad).state()).isEqualTo(JobState.RETRYING);
  }

  @Test
  void handlerThatTakesTooLongIsInterruptedAndTheAttemptFailed() {
    handle(
        MAIL.timeout(Duration.ofSeconds(5)),
        job -> {
          job.sleep(Duration.ofHours(1));
          return JobOutcome.done();
        });
    JobId id = enqueue(MAIL.timeout(Duration.ofSeconds(5)), "a");
    cluster.advance(Duration.ofSeconds(4));
    assertThat(find(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(find(id).run().orElseThrow().startedAt()).isPresent();
    cluster.advance(Duration.ofSeconds(2));
    assertThat(find(id).state()).isEqualTo(JobState.RETRYING);
    assertThat(find(id).attempts().get(0).detail())
        .hasValueSatisfying(text -> assertThat(text).contains("timed out after PT5S"));
  }

  @Test
  void cancelledJobIsInterruptedAndStaysCancelled() {
    handle(
        MAIL,
        job -> {
          assertThat(jobs().jobs().cancel(job.id(), "ann", "wrong")).isTrue(); // as another would
          job.sleep(Duration.ofMinutes(5));
          return done("not reached");
        });
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(3));
    assertThat(done).isEmpty();
    assertThat(find(id).state()).isEqualTo(JobState.CANCELLED);
    assertThat(jobs().jobs().cancel(id, "ann", "again")).isFalse();
  }

  @Test
  void jobsOfACrashedReplicaRunElsewhereWithoutLosingAnAttempt() {
    JobHandler<String> handler =
        job -> {
          done.add(job.replica() + " " + job.run() + "/" + job.attempt());
          if (job.run() == 1) {
            job.sleep(Duration.ofHours(1));
          }
          return JobOutcome.done();
        };
    cluster.replica(0).handle(MAIL, handler);
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(1));
    cluster.replica(1).handle(MAIL, handler);
    cluster.crash(0);
    cluster.advance(Duration.ofSeconds(30));
    assertThat(done).containsExactly("replica-0 1/1", "replica-1 2/1");
    assertThat(find(id).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(find(id).attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Job.Attempt.Outcome.RESCUED, Job.Attempt.Outcome.SUCCEEDED);
  }

  /** Shows that the worker has its starts noted: else the store could not count. */
  @Test
  void jobThatTakesItsReplicasWithItIsGivenUpTheThirdTime() {
    int replicas = JobStore.MOST_CRASHES + 2;
    try (SimulatedCluster many = SimulatedCluster.builder().replicas(replicas).start()) {
      for (int i = 0; i < replicas; i++) {
        int self = i;
        many.replica(i)
            .handle(
                MAIL,
                job -> {
                  done.add("run " + job.run());
                  many.crash(self);
                  job.sleep(Duration.ofHours(1));
                  return JobOutcome.done();
                });
      }
      JobId id = many.replica(0).jobs().enqueue(MAIL.of("deadly")).id();
      many.advance(Duration.ofMinutes(3));
      assertThat(done).containsExactly("run 1", "run 2", "run 3");
      Job job = many.store().jobs().find(id).orElseThrow();
      assertThat(job.state()).isEqualTo(JobState.DEAD);
      assertThat(job.attempts())
          .extracting(Job.Attempt::outcome)
          .containsExactly(
              Job.Attempt.Outcome.RESCUED,
              Job.Attempt.Outcome.RESCUED,
              Job.Attempt.Outcome.CRASHED);
      assertThat(job.attempts().get(1).startedAt()).isPresent();
    }
  }

  @Test
  void whatAFrozenReplicaReportsAfterItWasTakenForDeadIsRefused() {
    JobHandler<String> handler =
        job -> {
          done.add(job.replica());
          if (job.run() == 1) {
            job.sleep(Duration.ofSeconds(2));
          }
          return JobOutcome.done(job.replica());
        };
    cluster.replica(0).handle(MAIL, handler);
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(1));
    cluster.replica(1).handle(MAIL, handler);
    cluster.freeze(0);
    cluster.advance(Duration.ofSeconds(60));
    cluster.thaw(0);
    cluster.advance(Duration.ofSeconds(10));
    assertThat(done).containsExactly("replica-0", "replica-1");
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Job.Attempt.Outcome.RESCUED, Job.Attempt.Outcome.SUCCEEDED);
  }

  @Test
  void stoppingReplicaGivesBackWhatItHasNotBegun() {
    JobHandler<String> slow =
        job -> {
          job.sleep(Duration.ofSeconds(5));
          return done(job.replica());
        };
    cluster.replica(0).handle(MAIL, slow);
    for (int i = 0; i < 30; i++) {
      enqueue("job " + i);
    }
    cluster.advance(Duration.ofSeconds(1));
    cluster.stop(0);
    cluster.replica(1).handle(MAIL, slow);
    cluster.advance(Duration.ofSeconds(60));
    assertThat(done).hasSize(30).contains("replica-0", "replica-1");
  }

  @Test
  void kindWithoutAHandlerIsLeftAlone() {
    handle(MAIL, job -> done(job.payload()));
    JobId id = enqueue(JobKind.named("other", String.class), "a");
    cluster.advance(Duration.ofMinutes(1));
    assertThat(find(id).state()).isEqualTo(JobState.READY);
    assertThat(find(id).attempts()).isEmpty();
  }

  @Test
  void kindHasOneHandler() {
    cluster.replica(0).handle(MAIL, job -> JobOutcome.done());
    assertThatThrownBy(() -> cluster.replica(0).handle(MAIL, job -> JobOutcome.done()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mail");
  }

  @Test
  void progressAndLogLinesAreSeenByOthers() {
    handle(
        MAIL,
        job -> {
          job.progress(0.5, "half way");
          job.log("began");
          job.sleep(Duration.ofSeconds(10));
          job.log("ended");
          return JobOutcome.done();
        });
    JobId id = enqueue("a");
    cluster.advance(Duration.ofSeconds(5));
    assertThat(find(id).run().orElseThrow().progress()).contains(0.5);
    assertThat(find(id).run().orElseThrow().doing()).contains("half way");
    cluster.advance(Duration.ofSeconds(10));
    assertThat(jobs().jobs().log(id, 10))
        .extracting(line -> line.text())
        .containsExactly("began", "ended");
  }

  private Monotick jobs() {
    return cluster.replica(1);
  }

  private Job find(JobId id) {
    return jobs().jobs().find(id).orElseThrow();
  }

  private JobId enqueue(String payload) {
    return enqueue(MAIL, payload);
  }

  private JobId enqueue(JobKind<String> kind, String payload) {
    return jobs().jobs().enqueue(kind.of(payload)).id();
  }

  private JobOutcome done(String what) {
    done.add(what);
    return JobOutcome.done();
  }

  private void handle(JobKind<String> kind, JobHandler<String> handler) {
    cluster.replica(0).handle(kind, handler);
    cluster.replica(1).handle(kind, handler);
  }
}
