package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.End;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every job store sees to the jobs of replicas that are gone, and to no others. */
@Timeout(120)
public abstract class JobRescueContract extends JobStoreContract {

  /** For backends. */
  protected JobRescueContract() {}

  @Test
  void jobOfAReplicaThatIsGoneRunsAgainWithoutCostingAnAttempt() {
    JobId id = enqueue(aJob().maxAttempts(1));
    claimOne(a);
    assertThat(loseAndRescue(a)).isEqualTo(1);
    Job job = job(id);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.attempts()).extracting(Job.Attempt::outcome).containsExactly(Outcome.RESCUED);
    ClaimedJob again = claimOne(b);
    assertThat(again.run()).isEqualTo(new JobRun(id, 2, 1));
    succeed(b, again);
  }

  @Test
  void replicaThatIsSilentForItsLeaseIsGone() {
    JobId id = enqueue(aJob());
    claimOne(a);
    assertThat(jobs().rescue()).as("it is alive").isZero();
    letTimePass(replicas().timing().leaseDuration());
    MemberId other = MemberId.random();
    join(other);
    assertThat(jobs().rescue()).isEqualTo(1);
    assertThat(claimOne(other).id()).isEqualTo(id);
  }

  /** It reports under its former id what ended before, and begins nothing of that any more. */
  @Test
  void processThatJoinsAgainMayReportWhatItHadForAWhile() {
    JobId reported = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    JobId left = enqueue(aJob());
    claimOne(a);
    rejoin(a);
    assertThat(jobs().rescue()).as("its process lives").isZero();
    succeed(a, run);
    endRejoinGrace();
    MemberId other = MemberId.random();
    join(other);
    assertThat(jobs().rescue()).isEqualTo(1);
    assertThat(state(reported)).isEqualTo(JobState.SUCCEEDED);
    ClaimedJob again = claimOne(other);
    assertThat(again.id()).isEqualTo(left);
    assertThat(again.crashes()).as("the job did not kill its process").isZero();
  }

  /** Another process crashed; that shortens nobody's grace. */
  @Test
  void rescueOfAnotherReplicaLeavesClaimsToAProcessThatJoinedAgain() {
    JobId kept = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    JobId lost = enqueue(aJob());
    claimOne(b);
    rejoin(a);
    assertThat(loseAndRescue(b)).isEqualTo(1);
    assertThat(states(List.of(kept, lost))).containsExactly(JobState.RUNNING, JobState.READY);
    succeed(a, run);
    assertThat(job(kept).attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Outcome.SUCCEEDED);
  }

  @Test
  void replicaThatIsGoneClaimsNothing() {
    JobId id = enqueue(aJob());
    replicas().leave(a);
    StoreExchange.Reply reply = exchange(a, 1);
    assertThat(reply.jobs()).isEmpty();
    assertThat(reply.used()).isFalse();
    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  /** Under the new id nothing is known of what was claimed under the old one. */
  @Test
  void numberStaysUsedAfterRescueAndRejoin() {
    enqueue(aJob());
    StoreExchange turn = newExchange(a, 1, KINDS);
    assertThat(turn.with(jobs()).jobs()).hasSize(1);
    loseAndRescue(a);
    MemberId again = rejoin(a);
    assertThat(turn.with(jobs()).jobs()).as("sent by the former membership").isEmpty();
    assertThat(claimOne(again).owner()).isEqualTo(again);
    assertThat(turn.with(jobs()).jobs()).isEmpty();
  }

  @Test
  void jobsOfLiveReplicasAreNotRescued() {
    List<JobId> ids = enqueue(4, aJob());
    claim(a, 2);
    List<ClaimedJob> ofB = claim(b, 2);
    assertThat(loseAndRescue(a)).isEqualTo(2);
    assertThat(jobs().rescue()).as("once").isZero();
    assertThat(states(ids))
        .containsExactly(JobState.READY, JobState.READY, JobState.RUNNING, JobState.RUNNING);
    ofB.forEach(run -> succeed(b, run));
  }

  @Test
  void whatIsRescuedComesFirst() {
    List<JobId> ids = enqueue(6, aJob());
    claim(a, 3);
    loseAndRescue(a);
    assertThat(ids(claim(b, 6))).isEqualTo(ids);
  }

  @Test
  void jobThatTakesItsReplicasWithItIsDeadTheThirdTime() {
    JobId id = enqueue(aJob().maxAttempts(10));
    for (int crash = 1; crash <= JobStore.MOST_CRASHES; crash++) {
      assertThat(state(id)).isEqualTo(JobState.READY);
      crash();
    }
    assertThat(state(id)).isEqualTo(JobState.DEAD);
    assertThat(job(id).attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Outcome.RESCUED, Outcome.RESCUED, Outcome.CRASHED);
    assertThat(job(id).attempts()).extracting(Job.Attempt::attempt).containsOnly(1);
  }

  /** It may have waited beside one that takes its replicas along, or the machines were bad. */
  @Test
  void jobThatNeverBeganRunsHoweverManyReplicasAreLostWithIt() {
    List<JobId> ids = enqueue(3, aJob());
    for (int crash = 1; crash <= JobStore.MOST_CRASHES + 1; crash++) {
      MemberId doomed = MemberId.random();
      join(doomed);
      List<ClaimedJob> claimed = claim(doomed, 3);
      assertThat(claimed).hasSize(crash <= JobStore.MOST_CRASHES ? 3 : 2);
      if (claimed.get(0).id().equals(ids.get(0))) {
        begin(doomed, claimed.get(0));
      }
      assertThat(loseAndRescue(doomed)).isEqualTo(claimed.size());
    }
    assertThat(states(ids)).containsExactly(JobState.DEAD, JobState.READY, JobState.READY);
    List<ClaimedJob> rest = claim(b, 3);
    assertThat(rest).extracting(ClaimedJob::crashes).containsExactly(1, 1);
    rest.forEach(run -> succeed(b, run));
  }

  @Test
  void claimSaysHowOftenTheJobWasLost() {
    enqueue(aJob());
    crash();
    ClaimedJob run = claimOne(b);
    assertThat(run.crashes()).isEqualTo(1);
    complete(b, run, new Retried("no", Duration.ZERO));
    crash();
    assertThat(claimOne(b).crashes()).isEqualTo(2);
    enqueue(aJob());
    assertThat(claimOne(b).crashes()).isZero();
  }

  @Test
  void startOfAnEarlierRunSaysNothingOfALaterOne() {
    JobId id = enqueue(aJob());
    crash();
    for (int i = 0; i < JobStore.MOST_CRASHES; i++) {
      ClaimedJob run = claimOne(b);
      begin(b, run);
      complete(b, run, new HandedBack());
      MemberId doomed = MemberId.random();
      join(doomed);
      claimOne(doomed);
      assertThat(loseAndRescue(doomed)).isEqualTo(1);
    }
    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(claimOne(b).crashes()).isEqualTo(1);
  }

  @Test
  void outcomeOfALostRunNamesItsReplicaAndItsStart() {
    JobId id = enqueue(aJob());
    claimOne(a);
    loseAndRescue(a);
    claimOne(b);
    loseAndRescue(b);
    List<Instant> starts = new ArrayList<>();
    MemberId d = MemberId.random();
    for (MemberId doomed : List.of(c, d)) {
      join(doomed);
      starts.add(begin(doomed, claimOne(doomed)));
      letTimePass(Duration.ofMillis(10));
      loseAndRescue(doomed);
    }
    List<Job.Attempt> ends = job(id).attempts();
    assertThat(ends)
        .extracting(end -> end.detail().orElseThrow())
        .containsExactly(
            "replica " + nameOf(a) + " is gone: it is unknown whether its handler had begun",
            "replica " + nameOf(b) + " is gone: its handler had not begun",
            "replica " + nameOf(c) + " is gone: its handler had begun",
            "replica " + nameOf(d) + " is gone, and 2 before it: its handler had begun");
    for (int i = 0; i < ends.size(); i++) {
      Job.Attempt end = ends.get(i);
      if (i < 2) {
        assertThat(end.startedAt()).isEmpty();
        assertThat(end.took()).isZero();
      } else {
        Instant start = end.startedAt().orElseThrow();
        assertThat(start).isCloseTo(starts.get(i - 2), within(1, ChronoUnit.MILLIS));
        assertThat(end.took()).isPositive();
        assertThat(start.plus(end.took())).isCloseTo(end.endedAt(), within(1, ChronoUnit.MILLIS));
      }
    }
  }

  @Test
  void otherEndsInBetweenDoNotMakeItForgetHowOftenItCrashed() {
    JobId id = enqueue(aJob().maxAttempts(10));
    crash();
    complete(b, claimOne(b), new HandedBack());
    crash();
    complete(b, claimOne(b), new Retried("no", Duration.ZERO));
    crash();
    assertThat(state(id)).isEqualTo(JobState.DEAD);
  }

  @Test
  void jobThatIsRequeuedMayCrashAsOftenAgain() {
    JobId id = enqueue(aJob());
    for (int crash = 1; crash <= JobStore.MOST_CRASHES; crash++) {
      crash();
    }
    assertThat(jobs().requeue(List.of(id), "ann")).containsExactly(id);
    crash();
    crash();
    assertThat(state(id)).isEqualTo(JobState.READY);
    crash();
    assertThat(state(id)).isEqualTo(JobState.DEAD);
  }

  @Test
  void jobThatMayNotRunTwiceIsUnknown() {
    JobId id = enqueue(aJob().atMostOnce());
    ClaimedJob run = claimOne(a);
    begin(a, run);
    assertThat(loseAndRescue(a)).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.UNKNOWN);
    assertThat(job(id).attempts()).extracting(Job.Attempt::outcome).containsExactly(Outcome.LOST);
    assertThat(job(id).attempts().get(0).replica()).contains(nameOf(a));
    assertThat(job(id).attempts().get(0).detail().orElseThrow()).contains(nameOf(a));
    assertThat(claim(b, 1)).isEmpty();
    assertThat(complete(a, run, success())).as("a zombie").isFalse();
  }

  /** Most of what a replica has only waits for a handler. */
  @Test
  void jobThatMayNotRunTwiceIsUnknownOnlyIfItsHandlerMayHaveBegun() {
    List<JobId> ids = enqueue(60, aJob().atMostOnce().maxAttempts(1));
    List<ClaimedJob> claimed = claim(a, 60);
    claimed.subList(0, 10).forEach(run -> begin(a, run));
    assertThat(loseAndRescue(a)).isEqualTo(60);
    assertThat(states(ids.subList(0, 10))).containsOnly(JobState.UNKNOWN);
    assertThat(states(ids.subList(10, 60))).containsOnly(JobState.READY);
    Job.Attempt end = job(ids.get(10)).attempts().get(0);
    assertThat(end.outcome()).isEqualTo(Outcome.RESCUED);
    assertThat(end.detail())
        .contains("replica " + nameOf(a) + " is gone: its handler had not begun");
    List<ClaimedJob> again = claim(b, 60);
    assertThat(ids(again)).isEqualTo(ids.subList(10, 60));
    assertThat(again).allMatch(run -> run.run().attempt() == 1 && run.crashes() == 0);
    again.forEach(run -> begin(b, run));
    again.forEach(run -> succeed(b, run));
  }

  @Test
  void jobThatMayNotRunTwiceAndNeverBeginsIsNeverGivenUp() {
    JobId id = enqueue(aJob().atMostOnce());
    for (int crash = 1; crash <= JobStore.MOST_CRASHES + 1; crash++) {
      MemberId doomed = MemberId.random();
      join(doomed);
      claimOne(doomed);
      assertThat(loseAndRescue(doomed)).isEqualTo(1);
      assertThat(state(id)).isEqualTo(JobState.READY);
    }
    begin(b, claimOne(b));
    assertThat(loseAndRescue(b)).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.UNKNOWN);
  }

  @Test
  void runThatIsNoLongerTheReplicasMayNotBegin() {
    List<JobId> ids = enqueue(5, aJob().atMostOnce());
    List<ClaimedJob> runs = claim(a, 4);
    List<JobRun> all = runs.stream().map(ClaimedJob::run).toList();
    succeed(a, runs.get(0));
    jobs().cancel(ids.get(1), "ann", "enough");
    JobRun never = new JobRun(ids.get(4), 1, 1);
    List<JobRun> asked = new ArrayList<>(all);
    asked.add(never);
    assertThat(jobs().start(b, asked, jobs().now())).as("another replica's").isEmpty();
    assertThat(jobs().start(a, asked, jobs().now()))
        .containsExactlyInAnyOrder(all.get(2), all.get(3));
    loseAndRescue(a);
    assertThat(jobs().start(a, all, jobs().now())).as("after the rescue").isEmpty();
    rejoin(a);
    assertThat(jobs().start(a, all, jobs().now())).as("after it came back").isEmpty();
    assertThat(jobs().start(a, List.of(), jobs().now())).isEmpty();
  }

  /** Else a job that may not run twice could run here, and be given to another. */
  @Test
  void startRacingWithTheRescueMayBeginOrIsReadyAgainButNotBoth() {
    for (int i = 0; i < 40; i++) {
      MemberId dying = MemberId.random();
      join(dying);
      JobId id = enqueue(aJob().atMostOnce());
      ClaimedJob run = claimOne(dying);
      replicas().leave(dying);
      List<Boolean> done =
          Race.run(
              2,
              n ->
                  n == 0
                      ? !jobs().start(dying, List.of(run.run()), jobs().now()).isEmpty()
                      : jobs().rescue() == 1);
      jobs().rescue(); // the first one may have passed over a run that was just beginning
      assertThat(state(id)).isEqualTo(done.get(0) ? JobState.UNKNOWN : JobState.READY);
      assertThat(job(id).attempts()).hasSize(1);
      jobs().cancel(id, "test", "out of the way");
    }
  }

  /** Begun, and given back before the handler was called: the next run has not begun. */
  @Test
  void startOfARunThatWasGivenBackDoesNotMakeALaterRunUnknown() {
    JobId id = enqueue(aJob().atMostOnce());
    ClaimedJob run = claimOne(a);
    begin(a, run);
    complete(a, run, new HandedBack());
    claimOne(b);
    assertThat(loseAndRescue(b)).isEqualTo(1);
    assertThat(state(id)).isEqualTo(JobState.READY);
  }

  @Test
  void zombieCanChangeNothing() {
    JobId id = enqueue(aJob());
    ClaimedJob first = claimOne(a);
    loseAndRescue(a);
    assertThat(complete(a, first, success())).as("while it is ready").isFalse();
    assertThat(noteOf(a, first)).containsExactly(first.run());
    ClaimedJob second = claimOne(b);
    rejoin(a);
    assertThat(complete(a, first, success())).as("while another has it").isFalse();
    assertThat(complete(a, first, new HandedBack())).isFalse();
    assertThat(noteOf(a, first)).containsExactly(first.run());
    assertThat(jobs().log(id, 10)).as("another has the word").isEmpty();
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(job(id).run().orElseThrow().progress()).isEmpty();
    succeed(b, second);
    assertThat(complete(a, first, new Retried("no", HOUR))).as("after its end").isFalse();
    assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
  }

  /** Else that run would not count, should its replica be lost as well. */
  @Test
  void reportOfAZombieLeavesTheStartOfALaterRunOnRecord() {
    JobId id = enqueue(aJob());
    ClaimedJob first = claimOne(a);
    begin(a, first);
    loseAndRescue(a);
    begin(b, claimOne(b));
    rejoin(a);
    assertThat(complete(a, first, success())).isFalse();
    loseAndRescue(b);
    assertThat(job(id).attempts().get(1).startedAt()).isPresent();
    join(c);
    assertThat(claimOne(c).crashes()).isEqualTo(2);
  }

  /** The claim is gone, and no attempt tells any more that the run ended. */
  @Test
  void reportOfARunWhoseJobWasRescuedAndPurgedIsRefused() {
    for (End end : List.of(success(), new Retried("no", Duration.ZERO), new HandedBack())) {
      MemberId frozen = MemberId.random();
      ClaimedJob run = rescuedAndPurged(frozen);
      assertThat(complete(frozen, run, end)).as("%s", end).isFalse();
      assertThat(jobs().find(run.id())).as("%s", end).isEmpty();
      assertThat(claim(b, 1)).as("%s", end).isEmpty();
    }
  }

  @Test
  void runWhoseJobWasRescuedAndPurgedMustStop() {
    MemberId frozen = MemberId.random();
    ClaimedJob run = rescuedAndPurged(frozen);
    assertThat(jobs().start(frozen, List.of(run.run()), jobs().now())).isEmpty();
    assertThat(noteOf(frozen, run)).containsExactly(run.run());
    assertThat(jobs().log(run.id(), 10)).isEmpty();
  }

  /** Returns a run of a replica whose job died on another one since, and is forgotten. */
  private ClaimedJob rescuedAndPurged(MemberId frozen) {
    join(frozen);
    JobId id = enqueue(aJob());
    ClaimedJob run = claimOne(frozen);
    loseAndRescue(frozen);
    complete(b, claimOne(b), new Died("no use"));
    assertThat(purge(id)).containsExactly(id);
    return run;
  }

  @Test
  void reportOfAReplicaThatIsGoneCountsUntilSomebodySeesToItsJobs() {
    JobId id = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    replicas().leave(a);
    succeed(a, run);
    assertThat(jobs().rescue()).isZero();
    assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void repeatedExchangeOfAZombieReturnsNothingThatWasRescued() {
    enqueue(2, aJob());
    StoreExchange turn = newExchange(a, 2, KINDS);
    turn.with(jobs());
    loseAndRescue(a);
    assertThat(claim(b, 2)).hasSize(2);
    assertThat(turn.with(jobs()).jobs()).isEmpty();
  }

  @Test
  void rescueRacingWithTheReportLeavesOneEnd() {
    for (int i = 0; i < 10; i++) {
      MemberId dying = MemberId.random();
      join(dying);
      JobId id = enqueue(aJob());
      ClaimedJob run = claimOne(dying);
      replicas().leave(dying);
      List<Boolean> won =
          Race.run(2, n -> n == 0 ? complete(dying, run, success()) : jobs().rescue() == 1);
      assertThat(won).containsExactlyInAnyOrder(true, false);
      assertThat(state(id)).isEqualTo(won.get(0) ? JobState.SUCCEEDED : JobState.READY);
      assertThat(job(id).attempts()).hasSize(1);
      jobs().cancel(id, "test", "out of the way");
    }
  }

  @Test
  void racingRescuersSeeToEachJobOnce() {
    List<JobId> ids = enqueue(50, aJob());
    claim(a, 50);
    replicas().leave(a);
    List<Integer> seenTo = Race.run(6, i -> jobs().rescue());
    assertThat(seenTo.stream().mapToInt(Integer::intValue).sum()).isEqualTo(50);
    assertThat(states(ids)).containsOnly(JobState.READY);
    assertThat(ids).allMatch(id -> job(id).attempts().size() == 1);
  }

  @Test
  void listenersAreNotifiedOfRunsThatOthersEnded() throws InterruptedException {
    needs(Capability.SIGNALS);
    List<JobId> ids = enqueue(2, aJob());
    claim(a, 2);
    Set<JobId> told = ConcurrentHashMap.newKeySet();
    CountDownLatch cancelled = new CountDownLatch(1);
    jobs()
        .onEnded(
            ended -> {
              told.addAll(ended);
              cancelled.countDown();
            });
    jobs().cancel(ids.get(0), "ann", "enough");
    assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(told).containsExactly(ids.get(0));
  }

  private Set<JobRun> noteOf(MemberId replica, ClaimedJob run) {
    List<Job.LogLine> lines = List.of(new Job.LogLine(jobs().now(), "half way"));
    RunProgress note = new RunProgress(run.run(), jobs().now(), 0.5, "half way", lines);
    return jobs().note(replica, List.of(note));
  }

  private void crash() {
    MemberId doomed = MemberId.random();
    join(doomed);
    begin(doomed, claimOne(doomed));
    assertThat(loseAndRescue(doomed)).isEqualTo(1);
  }
}
