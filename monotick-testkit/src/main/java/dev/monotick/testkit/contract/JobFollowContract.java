package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every job store lets jobs wait for those before them. */
@Timeout(120)
public abstract class JobFollowContract extends JobStoreContract {

  /** For backends. */
  protected JobFollowContract() {}

  @Test
  void chainRunsOneAfterTheOther() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob().kind(OTHER_KIND), aJob());
    assertThat(states(ids)).containsExactly(JobState.READY, JobState.SCHEDULED, JobState.SCHEDULED);
    for (JobId id : ids) {
      List<ClaimedJob> runs = claim(a, 10);
      assertThat(ids(runs)).containsExactly(id);
      assertThat(claim(b, 10)).isEmpty();
      succeed(a, runs.get(0));
    }
    assertThat(states(ids)).containsOnly(JobState.SUCCEEDED);
  }

  @Test
  void chainGoesOnWhenARepeatedAttemptSucceeds() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob());
    complete(a, claimOne(a), new Retried("no", HOUR));
    assertThat(state(ids.get(1))).isEqualTo(JobState.SCHEDULED);
    jobs().reschedule(ids.get(0), longAgo());
    succeed(a, claimOne(a));
    assertThat(claimOne(a).id()).isEqualTo(ids.get(1));
  }

  @Test
  void chainIsCalledOffWhereOneDoesNotSucceed() {
    List<JobId> dead = enqueueAll(Follow.CHAIN, aJob(), aJob(), aJob());
    complete(a, claimOne(a), new Died("no"));
    List<JobId> discarded = enqueueAll(Follow.CHAIN, aJob(), aJob());
    complete(a, claimOne(a), new Discarded("no"));
    List<JobId> cancelled = enqueueAll(Follow.CHAIN, aJob(), aJob());
    jobs().cancel(cancelled.get(0), "ann", "no");
    List<JobId> rejected = enqueueAll(Follow.CHAIN, aJob().approval(HOUR), aJob());
    jobs().reject(rejected.get(0), "ann", "no");
    List<JobId> lost = enqueueAll(Follow.CHAIN, aJob().atMostOnce(), aJob());
    begin(b, claimOne(b));
    loseAndRescue(b);
    List<JobId> expired = enqueueAll(Follow.CHAIN, aJob().deadline(longAgo()), aJob());
    expectSoon(expired.get(0), JobState.EXPIRED);
    for (List<JobId> chain : List.of(dead, discarded, cancelled, rejected, lost, expired)) {
      List<JobId> rest = chain.subList(1, chain.size());
      assertThat(states(rest)).containsOnly(JobState.CANCELLED);
      assertThat(job(rest.get(0)).attempts())
          .extracting(Job.Attempt::outcome)
          .containsExactly(Outcome.CANCELLED);
    }
    assertThat(claim(a, 10)).isEmpty();
  }

  @Test
  void chainCalledOffInTheMiddleEndsThere() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob(), aJob());
    assertThat(jobs().cancel(ids.get(1), "ann", "no")).isTrue();
    assertThat(states(ids)).containsExactly(JobState.READY, JobState.CANCELLED, JobState.CANCELLED);
    succeed(a, claimOne(a));
    assertThat(claim(a, 10)).isEmpty();
  }

  @Test
  void jobOfAChainWaitsForItsTimeAsWell() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob().after(HOUR), aJob().after(SHORT));
    succeed(a, claimOne(a));
    assertThat(state(ids.get(1))).isEqualTo(JobState.SCHEDULED);
    assertThat(claim(a, 10)).isEmpty();
    letTimePass(SHORT.multipliedBy(2));
    assertThat(claim(a, 10)).as("its time has come, but not its turn").isEmpty();
    assertThat(jobs().reschedule(ids.get(1), longAgo())).isTrue();
    succeed(a, claimOne(a));
    assertThat(claimOne(a).id()).isEqualTo(ids.get(2));
  }

  @Test
  void jobOfAChainThatNeedsApprovalWaitsForBoth() {
    List<JobId> early = enqueueAll(Follow.CHAIN, aJob(), aJob().approval(HOUR));
    assertThat(state(early.get(1))).isEqualTo(JobState.AWAITING_APPROVAL);
    assertThat(jobs().approve(early.get(1), "ann", "")).isTrue();
    assertThat(state(early.get(1))).as("the one before it").isEqualTo(JobState.SCHEDULED);
    succeed(a, claimOne(a));
    succeed(a, claimOne(a));
    List<JobId> late = enqueueAll(Follow.CHAIN, aJob(), aJob().approval(HOUR));
    succeed(a, claimOne(a));
    assertThat(state(late.get(1))).isEqualTo(JobState.AWAITING_APPROVAL);
    assertThat(claim(a, 1)).isEmpty();
    jobs().approve(late.get(1), "ann", "");
    assertThat(claimOne(a).id()).isEqualTo(late.get(1));
  }

  @Test
  void lastRunsWhenAllOthersHaveEndedHoweverTheyDid() {
    List<JobId> ids =
        enqueueAll(
            Follow.LAST_AFTER_ALL,
            aJob(),
            aJob(),
            aJob().after(HOUR),
            aJob().approval(HOUR),
            aJob().kind(OTHER_KIND));
    JobId last = ids.get(4);
    assertThat(state(last)).isEqualTo(JobState.SCHEDULED);
    List<ClaimedJob> runs = claim(a, 10);
    assertThat(ids(runs)).containsExactly(ids.get(0), ids.get(1));
    exchange(a, 0, ended(runs.get(0), new Died("no")), ended(runs.get(1), success()));
    jobs().cancel(ids.get(2), "ann", "no");
    assertThat(state(last)).isEqualTo(JobState.SCHEDULED);
    jobs().reject(ids.get(3), "ann", "no");
    assertThat(claimOne(a, Set.of(OTHER_KIND)).id()).isEqualTo(last);
  }

  @Test
  void lastOfOneRunsAtOnce() {
    List<JobId> ids = enqueueAll(Follow.LAST_AFTER_ALL, aJob());
    assertThat(claimOne(a).id()).isEqualTo(ids.get(0));
    List<JobId> chain = enqueueAll(Follow.CHAIN, aJob());
    assertThat(claimOne(a).id()).isEqualTo(chain.get(0));
  }

  @Test
  void jobThatIsRequeuedIsWaitedForNoMore() {
    List<JobId> ids = enqueueAll(Follow.LAST_AFTER_ALL, aJob(), aJob(), aJob().kind(OTHER_KIND));
    List<ClaimedJob> runs = claim(a, 10);
    complete(a, runs.get(0), new Died("no"));
    jobs().requeue(List.of(ids.get(0)), "ann");
    complete(a, claimOne(a), new Died("again"));
    assertThat(state(ids.get(2))).as("the other still runs").isEqualTo(JobState.SCHEDULED);
    succeed(a, runs.get(1));
    assertThat(claimOne(a).id()).isEqualTo(ids.get(2));
  }

  @Test
  void jobThatWasCalledOffWithItsChainRunsAloneWhenItIsRequeued() {
    List<JobId> ids = enqueueAll(Follow.CHAIN, aJob(), aJob());
    complete(a, claimOne(a), new Died("no"));
    assertThat(jobs().requeue(ids, "ann")).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(ids(claim(a, 10))).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void jobsThatWereThereAlreadyAreNeitherWaitedForNorMadeToWait() {
    JobId there = enqueue(aJob().unique("k").kind(OTHER_KIND));
    List<JobDraft> drafts =
        List.of(aJob().draft(), aJob().unique("k").kind(OTHER_KIND).draft(), aJob().draft());
    List<Enqueued> chain =
        enqueue(new EnqueueRequest(drafts, Follow.CHAIN, Optional.empty(), Optional.empty()));
    assertThat(chain).extracting(Enqueued::isNew).containsExactly(true, false, true);
    assertThat(chain.get(1).id()).isEqualTo(there);
    assertThat(ids(claim(a, 10))).containsExactlyInAnyOrder(chain.get(0).id(), there);
    assertThat(state(chain.get(2).id())).isEqualTo(JobState.SCHEDULED);
    jobs().cancel(there, "ann", "no");
    assertThat(state(chain.get(2).id())).as("waits for the first").isEqualTo(JobState.SCHEDULED);
    jobs().cancel(chain.get(0).id(), "ann", "no");
    assertThat(state(chain.get(2).id())).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void manyCompletionsAtOnceLetTheLastRunOnce() {
    DraftBuilder[] wishes = new DraftBuilder[41];
    Arrays.fill(wishes, aJob());
    List<JobId> ids = enqueueAll(Follow.LAST_AFTER_ALL, wishes);
    List<ClaimedJob> runs = claim(a, 40);
    assertThat(runs).hasSize(40);
    Race.run(
        8,
        i -> {
          for (ClaimedJob run : runs.subList(i * 5, i * 5 + 5)) {
            succeed(a, run);
          }
          return true;
        });
    assertThat(claimOne(b).id()).isEqualTo(ids.get(40));
  }
}
