package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every job store does what people decide: approve, reject, call off, put off, do again, forget;
 * and what was decided by letting the time pass.
 */
@Timeout(120)
public abstract class JobDecisionContract extends JobStoreContract {

  private static final JobId NOBODY = new JobId(1L << 40);

  /** For backends. */
  protected JobDecisionContract() {}

  @Test
  void jobThatNeedsApprovalRunsOnceItIsApproved() {
    JobId id = enqueue(aJob().approval(HOUR));
    assertThat(state(id)).isEqualTo(JobState.AWAITING_APPROVAL);
    assertThat(claim(a, 1)).isEmpty();
    assertThat(jobs().approve(id, "ann", "looks good")).isTrue();
    assertThat(jobs().approve(id, "ann", "again")).as("once").isFalse();
    assertThat(jobs().reject(id, "bob", "too late")).isFalse();
    ClaimedJob run = claimOne(a);
    assertThat(run.run()).isEqualTo(new JobRun(id, 1, 1));
    succeed(a, run);
  }

  @Test
  void approvalDoesNotMakeItDue() {
    JobId id = enqueue(aJob().approval(HOUR).after(HOUR));
    assertThat(state(id)).isEqualTo(JobState.AWAITING_APPROVAL);
    assertThat(jobs().approve(id, "ann", "fine")).isTrue();
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(claim(a, 1)).isEmpty();
    assertThat(jobs().reschedule(id, longAgo())).isTrue();
    assertThat(claimOne(a).id()).isEqualTo(id);
  }

  @Test
  void jobThatIsRejectedIsOver() {
    JobId id = enqueue(aJob().approval(HOUR));
    assertThat(jobs().reject(id, "bob", "too expensive")).isTrue();
    assertThat(jobs().approve(id, "ann", "but")).isFalse();
    assertThat(state(id)).isEqualTo(JobState.REJECTED);
    Job.Attempt end = job(id).attempts().get(0);
    assertThat(end.outcome()).isEqualTo(Outcome.REJECTED);
    assertThat(end.replica()).isEmpty();
    assertThat(end.detail().orElseThrow()).contains("bob").contains("too expensive");
    assertThat(claim(a, 1)).isEmpty();
  }

  @Test
  void jobThatNobodyApprovesExpires() {
    JobId id = enqueue(aJob().approval(SHORT));
    letTimePass(SHORT.multipliedBy(2));
    expectSoon(id, JobState.EXPIRED);
    assertThat(job(id).attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Outcome.EXPIRED);
    assertThat(job(id).attempts().get(0).detail()).contains("not approved in time");
    assertThat(jobs().approve(id, "ann", "too late")).isFalse();
    assertThat(claim(a, 1)).isEmpty();
  }

  @Test
  void failureOfAnApprovedJobNeedsNoOtherApproval() {
    JobId id = enqueue(aJob().approval(HOUR));
    jobs().approve(id, "ann", "");
    complete(a, claimOne(a), new Retried("no", HOUR));
    assertThat(state(id)).isEqualTo(JobState.RETRYING);
    jobs().reschedule(id, longAgo());
    assertThat(claimOne(a).id()).isEqualTo(id);
  }

  @Test
  void noAttemptBeginsAfterTheDeadline() {
    JobId past = enqueue(aJob().deadline(longAgo()));
    JobId scheduled = enqueue(aJob().after(HOUR).deadline(longAgo()));
    JobId gated = enqueue(aJob().approval(HOUR).deadline(longAgo()));
    JobId open = enqueue(aJob().deadline(jobs().now().plus(HOUR)));
    assertThat(ids(claim(a, 10))).containsExactly(open);
    for (JobId id : List.of(past, scheduled, gated)) {
      expectSoon(id, JobState.EXPIRED);
      assertThat(job(id).attempts())
          .extracting(Job.Attempt::outcome)
          .containsExactly(Outcome.EXPIRED);
      assertThat(job(id).attempts().get(0).detail()).contains("its deadline passed before it ran");
    }
  }

  @Test
  void attemptThatBeganBeforeTheDeadlineMayEndButIsNotRepeated() {
    Instant deadline = jobs().now().plus(SHORT.multipliedBy(5));
    List<JobId> ids = enqueue(3, aJob().deadline(deadline));
    List<ClaimedJob> runs = claim(a, 3);
    assertThat(runs).hasSize(3);
    letTimePass(SHORT.multipliedBy(6));
    succeed(a, runs.get(0));
    complete(a, runs.get(1), new Retried("no", HOUR));
    complete(a, runs.get(2), new HandedBack());
    assertThat(claim(a, 3)).isEmpty();
    expectSoon(ids.get(1), JobState.EXPIRED);
    expectSoon(ids.get(2), JobState.EXPIRED);
    assertThat(state(ids.get(0))).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void jobThatIsCalledOffIsOverWhoeverHasIt() {
    JobId id = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    assertThat(jobs().cancel(id, "ann", "wrong order")).isTrue();
    assertThat(jobs().cancel(id, "ann", "again")).isFalse();
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(complete(a, run, success())).as("final").isFalse();
    RunProgress note = new RunProgress(run.run(), jobs().now(), null, null, List.of());
    assertThat(jobs().note(a, List.of(note))).as("should stop").containsExactly(run.run());
    assertThat(job(id).attempts()).hasSize(1);
    Job.Attempt end = job(id).attempts().get(0);
    assertThat(end.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(end.run()).isEqualTo(1);
    assertThat(end.replica()).contains(nameOf(a));
    assertThat(end.detail().orElseThrow()).contains("ann").contains("wrong order");
    assertThat(jobs().rescue()).isZero();
  }

  @Test
  void cancelRacingWithTheReportLeavesOneEnd() {
    for (int i = 0; i < 10; i++) {
      JobId id = enqueue(aJob());
      ClaimedJob run = claimOne(a);
      List<Boolean> won =
          Race.run(2, n -> n == 0 ? complete(a, run, success()) : jobs().cancel(id, "ann", "x"));
      assertThat(won).containsExactlyInAnyOrder(true, false);
      assertThat(state(id)).isEqualTo(won.get(0) ? JobState.SUCCEEDED : JobState.CANCELLED);
      assertThat(job(id).attempts()).hasSize(1);
    }
  }

  @Test
  void cancelRacingWithTheClaimIsFinal() {
    for (int i = 0; i < 10; i++) {
      JobId id = enqueue(aJob());
      Race.run(2, n -> n == 0 ? claim(a, 1).size() : jobs().cancel(id, "ann", "x") ? 1 : 0);
      assertThat(state(id)).isEqualTo(JobState.CANCELLED);
      assertThat(claim(a, 1)).isEmpty();
    }
  }

  @Test
  void jobThatWaitsMayBeGivenAnotherTime() {
    JobId id = enqueue(aJob().after(HOUR));
    Instant later = jobs().now().plus(HOUR.multipliedBy(3)).truncatedTo(ChronoUnit.MILLIS);
    assertThat(jobs().reschedule(id, later)).isTrue();
    assertThat(job(id).dueAt()).contains(later);
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(jobs().reschedule(id, longAgo())).isTrue();
    ClaimedJob run = claimOne(a);
    complete(a, run, new Retried("no", HOUR));
    assertThat(jobs().reschedule(id, later)).isTrue();
    assertThat(state(id)).isEqualTo(JobState.RETRYING);
    assertThat(job(id).dueAt()).contains(later);
    assertThat(jobs().reschedule(NOBODY, later)).isFalse();
  }

  /** Or it would be nothing but trouble for whoever looks for jobs that are due. */
  @Test
  void momentThatCannotBeIsRefused() {
    JobId id = enqueue(aJob().after(HOUR));
    Instant due = job(id).dueAt().orElseThrow();
    for (String moment :
        List.of(
            Instant.MIN.toString(),
            "-4713-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2200-01-01T00:00:01Z",
            Instant.MAX.toString())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> jobs().reschedule(id, Instant.parse(moment)))
          .withMessageStartingWith("at must be between 1970-01-01T00:00:00Z and 2200-01-01T00:00")
          .withMessageContaining("but was " + moment);
    }
    assertThat(job(id).dueAt()).contains(due);
    assertThat(jobs().reschedule(id, Instant.parse("2200-01-01T00:00:00Z"))).isTrue();
    assertThat(claim(a, 1)).isEmpty();
    assertThat(jobs().reschedule(id, Instant.EPOCH)).isTrue();
    assertThat(claimOne(a).id()).isEqualTo(id);
  }

  @Test
  void deadLetterRunsAgainWithAllItsAttempts() {
    JobId id = enqueue(aJob().maxAttempts(2));
    complete(a, claimOne(a), new Retried("first", Duration.ZERO));
    complete(a, claimOne(a), new Retried("second", HOUR));
    assertThat(state(id)).isEqualTo(JobState.DEAD);
    assertThat(jobs().requeue(List.of(id, id, NOBODY), "ann")).containsExactly(id);
    assertThat(jobs().requeue(List.of(id), "ann")).as("once").isEmpty();
    Job job = job(id);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Outcome.RETRIED, Outcome.DIED, Outcome.REQUEUED);
    assertThat(job.attempts().get(2).detail().orElseThrow()).contains("ann");
    ClaimedJob third = claimOne(a);
    assertThat(third.run().attempt()).isEqualTo(1);
    assertThat(third.run().number()).isGreaterThan(2);
    complete(a, third, new Retried("third", Duration.ZERO));
    assertThat(state(id)).isNotEqualTo(JobState.DEAD);
    ClaimedJob fourth = claimOne(a);
    assertThat(fourth.run().attempt()).isEqualTo(2);
    complete(a, fourth, new Retried("fourth", HOUR));
    assertThat(state(id)).isEqualTo(JobState.DEAD);
  }

  @Test
  void jobThatIsPurgedLosesItsKeyBeforeTheWindowIsOver() {
    JobId id = enqueue(aJob().unique("k", HOUR));
    complete(a, claimOne(a), new Died("no"));
    assertThat(purge(id)).containsExactly(id);
    assertThat(enqueue(aJob().unique("k", HOUR))).isNotEqualTo(id);
  }

  @Test
  void ofTwoJobsWithOneKeyThatAreRequeuedTogetherTheOlderOneRuns() {
    JobId older = enqueue(aJob().unique("k"));
    jobs().cancel(older, "ann", "no");
    JobId younger = enqueue(aJob().unique("k"));
    jobs().cancel(younger, "ann", "no");
    assertThat(jobs().requeue(List.of(younger, older), "ann")).containsExactly(older);
    assertThat(states(List.of(older, younger))).containsExactly(JobState.READY, JobState.CANCELLED);
  }

  @Test
  void jobThatIsRequeuedHasItsKeyAgainUnlessAnotherHasIt() {
    JobId first = enqueue(aJob().unique("k"));
    complete(a, claimOne(a), new Died("no"));
    JobId second = enqueue(aJob().unique("k"));
    assertThat(jobs().requeue(List.of(first), "ann")).as("another has its key").isEmpty();
    assertThat(state(first)).isEqualTo(JobState.DEAD);
    succeed(a, claimOne(a));
    assertThat(jobs().requeue(List.of(first), "ann")).containsExactly(first);
    assertThat(enqueue(EnqueueRequest.of(List.of(aJob().unique("k").draft()))))
        .containsExactly(new Enqueued(first, false));
    assertThat(state(second)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void manyAreRequeuedAtOnce() {
    List<JobId> ids = enqueue(20, aJob());
    claim(a, 20).forEach(run -> complete(a, run, new Died("no")));
    assertThat(jobs().requeue(ids, "ann")).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(ids(claim(a, 20))).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void deadLettersAreForgottenWhenTheyArePurged() {
    List<JobId> ids = enqueue(3, aJob());
    List<ClaimedJob> runs = claim(a, 3);
    complete(a, runs.get(0), new Died("no"));
    succeed(a, runs.get(1));
    assertThat(purge(ids.get(0), ids.get(1), ids.get(2), NOBODY)).containsExactly(ids.get(0));
    assertThat(jobs().find(ids.get(0))).isEmpty();
    assertThat(purge(ids.get(0))).isEmpty();
    assertThat(jobs().requeue(List.of(ids.get(0)), "ann")).isEmpty();
    assertThat(states(ids.subList(1, 3))).containsExactly(JobState.SUCCEEDED, JobState.RUNNING);
  }

  @Test
  void jobThatIsNotKnownIsNotDecidedOn() {
    assertThat(jobs().find(NOBODY)).isEmpty();
    assertThat(jobs().cancel(NOBODY, "ann", "x")).isFalse();
    assertThat(jobs().approve(NOBODY, "ann", "x")).isFalse();
    assertThat(jobs().reject(NOBODY, "ann", "x")).isFalse();
    assertThat(jobs().requeue(List.of(NOBODY), "ann")).isEmpty();
    assertThat(jobs().log(NOBODY, 10)).isEmpty();
  }
}
