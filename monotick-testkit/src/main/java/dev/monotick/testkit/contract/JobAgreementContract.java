package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobLimit.Rate;
import dev.monotick.job.JobLimit.Scope;
import dev.monotick.job.JobState;
import dev.monotick.job.QueueFullException;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Lost;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.RunProgress;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Details in which stores of jobs once gave different answers. Each was found by a random sequence
 * of calls on two stores; every store must answer as stated here.
 */
@Timeout(120)
public abstract class JobAgreementContract extends JobStoreContract {

  private static final Scope OF_KIND = new Scope(DraftBuilder.KIND, "", false);

  /** For backends. */
  protected JobAgreementContract() {}

  @Test
  void orderThatWouldExceedTheDepthIsRefusedAsAWhole() {
    enqueue(2, aJob());
    assertThatThrownBy(() -> jobs().enqueue(bounded(3, 4))).isInstanceOf(QueueFullException.class);
    assertThat(enqueue(bounded(2, 4))).allMatch(Enqueued::isNew);
  }

  private static EnqueueRequest bounded(int count, long depth) {
    return new EnqueueRequest(
        Collections.nCopies(count, aJob().draft()),
        Follow.NONE,
        Optional.empty(),
        Optional.of(depth));
  }

  @Test
  void jobIsReadySinceItWasDueOrCameBack() {
    JobId delayed = enqueue(aJob().after(SHORT));
    Instant dueAt = job(delayed).dueAt().orElseThrow();
    letTimePass(SHORT.multipliedBy(10));
    ClaimedJob first = claimOne(a);
    assertThat(first.readyAt()).isEqualTo(dueAt);
    letTimePass(SHORT);
    complete(a, first, new HandedBack());
    ClaimedJob second = claimOne(a);
    assertThat(second.readyAt()).as("handed back").isAfter(dueAt.plus(SHORT));
    letTimePass(SHORT);
    loseAndRescue(a);
    assertThat(claimOne(b).readyAt()).as("rescued").isAfterOrEqualTo(second.readyAt().plus(SHORT));
  }

  @Test
  void deadlineThatPassesDuringARunEndsAJobThatWaitsAgain() {
    Instant deadline = jobs().now().plus(SHORT.multipliedBy(5));
    List<JobId> ids = enqueue(3, aJob().deadline(deadline));
    List<ClaimedJob> runs = claim(a, 2);
    ClaimedJob lost = claimOne(b);
    letTimePass(SHORT.multipliedBy(12));
    makeDue(); // everybody sees that the deadline passed, and the jobs run
    assertThat(states(ids)).containsOnly(JobState.RUNNING);
    complete(a, runs.get(0), new Retried("no", HOUR));
    complete(a, runs.get(1), new HandedBack());
    assertThat(loseAndRescue(b)).isEqualTo(1);
    expectSoon(runs.get(0).id(), JobState.EXPIRED);
    expectSoon(runs.get(1).id(), JobState.EXPIRED);
    expectSoon(lost.id(), JobState.EXPIRED);
  }

  @Test
  void rateThatIsAddedToALimitBeginsFull() {
    jobs().limit(new JobLimit(OF_KIND, Optional.of(5), Optional.empty()));
    enqueue(3, aJob());
    assertThat(claim(a, 1)).hasSize(1);
    jobs().limit(new JobLimit(OF_KIND, Optional.of(5), Optional.of(new Rate(1, HOUR))));
    assertThat(claim(a, 2)).hasSize(1);
    assertThat(claim(a, 2)).isEmpty();
  }

  @Test
  void rateThatIsReplacedGivesNothingAnew() {
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(2, HOUR))));
    enqueue(4, aJob());
    assertThat(claim(a, 4)).hasSize(2);
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(3, HOUR))));
    assertThat(claim(a, 4)).isEmpty();
  }

  @Test
  void rateThatNothingWasTakenOfIsReplacedByAFullOne() {
    enqueue(5, aJob());
    assertThat(claim(a, 1)).hasSize(1);
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(1, HOUR))));
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(3, HOUR))));
    assertThat(claim(a, 4)).hasSize(3);
  }

  @Test
  void rateBoundsNothingThatRuns() {
    jobs().limit(new JobLimit(new Scope("", "acme", false), Optional.of(2), Optional.empty()));
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(4, HOUR))));
    enqueue(2, aJob().tenant("acme"));
    assertThat(claim(a, 1)).hasSize(1);
    assertThat(claim(a, 1)).hasSize(1);
  }

  @Test
  void jobWhoseKeyIsOverIsRequeuedThoughAnotherHasTheKey() {
    JobId id = enqueue(aJob().unique("k", SHORT));
    complete(a, claimOne(a), new Died("no"));
    letTimePass(SHORT.multipliedBy(2));
    JobId other = enqueue(aJob().unique("k", HOUR));
    assertThat(jobs().requeue(List.of(id), "ann")).containsExactly(id);
    assertThat(ids(claim(a, 2))).containsExactlyInAnyOrder(id, other);
  }

  @Test
  void approvalIsNoted() {
    JobId id = enqueue(aJob().approval(HOUR));
    jobs().approve(id, "ann", "looks good");
    assertThat(jobs().log(id, 10))
        .extracting(Job.LogLine::text)
        .containsExactly("approved by ann: looks good");
    JobId other = enqueue(aJob().approval(HOUR));
    jobs().reject(other, "ann", "");
    assertThat(lastDetail(other)).isEqualTo("ann");
  }

  @Test
  void jobThatAwaitsApprovalShowsWhenItMayRun() {
    JobId id = enqueue(aJob().approval(HOUR).after(HOUR));
    Job job = job(id);
    assertThat(job.dueAt()).contains(job.createdAt().plus(HOUR));
  }

  @Test
  void jobThatWaitsForOthersMayBeGivenATime() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob());
    assertThat(jobs().reschedule(ids.get(1), jobs().now().plus(HOUR))).isTrue();
    succeed(a, claimOne(a));
    assertThat(claim(a, 1)).isEmpty();
    assertThat(state(ids.get(1))).isEqualTo(JobState.SCHEDULED);
  }

  @Test
  void jobOfAChainNamesTheOneThatDidNotSucceed() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob());
    complete(a, claimOne(a), new Died("no"));
    assertThat(lastDetail(ids.get(1)))
        .isEqualTo("job " + ids.get(0) + " before it did not succeed");
  }

  @Test
  void lastWordsOfALostRunAreKept() {
    ClaimedJob run = claimOneOf(enqueue(aJob().atMostOnce()));
    complete(a, run, new Lost("stopped"));
    Job.LogLine line = new Job.LogLine(longAgo(), "nearly done");
    assertThat(
            jobs()
                .note(a, List.of(new RunProgress(run.run(), longAgo(), null, null, List.of(line)))))
        .containsExactly(run.run());
    assertThat(jobs().log(run.id(), 10)).extracting(Job.LogLine::text).contains("nearly done");
  }

  @Test
  void replicaThatIsGoneKeepsItsName() {
    ClaimedJob run = claimOneOf(enqueue(aJob()));
    replicas().leave(a);
    assertThat(job(run.id()).run().orElseThrow().replica()).isEqualTo(nameOf(a));
    jobs().rescue();
    assertThat(job(run.id()).attempts())
        .extracting(Job.Attempt::replica)
        .containsExactly(Optional.of(nameOf(a)));
  }

  @Test
  void jobThatWasPurgedIsNotRescuedWithOthersOfItsClaim() {
    enqueue(2, aJob());
    List<ClaimedJob> runs = claim(a, 2);
    complete(a, runs.get(0), new Died("no"));
    assertThat(purge(runs.get(0).id())).hasSize(1);
    assertThat(loseAndRescue(a)).isEqualTo(1);
    assertThat(jobs().find(runs.get(0).id())).isEmpty();
    assertThat(ids(claim(b, 2))).containsExactly(runs.get(1).id());
  }

  @Test
  void jobThatWasPurgedCountsForNoLimitAndCannotBeReportedAgain() {
    enqueue(3, aJob());
    List<ClaimedJob> runs = claim(a, 2);
    complete(a, runs.get(0), new Died("no"));
    purge(runs.get(0).id());
    jobs().limit(new JobLimit(OF_KIND, Optional.of(2), Optional.empty()));
    assertThat(claim(b, 2)).as("one of two runs").hasSize(1);
    assertThat(complete(a, runs.get(0), new Died("no"))).isFalse();
    assertThat(complete(a, runs.get(0), new HandedBack())).isFalse();
    assertThat(jobs().find(runs.get(0).id())).isEmpty();
  }

  private ClaimedJob claimOneOf(JobId id) {
    ClaimedJob run = claimOne(a);
    assertThat(run.id()).isEqualTo(id);
    return run;
  }

  private String lastDetail(JobId id) {
    List<Job.Attempt> attempts = job(id).attempts();
    return attempts.get(attempts.size() - 1).detail().orElse("");
  }
}
