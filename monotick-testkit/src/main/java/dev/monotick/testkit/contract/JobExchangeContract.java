package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.End;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Lost;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.Completion.Snoozed;
import dev.monotick.spi.job.Completion.Succeeded;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every job store gives each job to one replica, and records the end of each run once. */
@Timeout(120)
public abstract class JobExchangeContract extends JobStoreContract {

  /** For backends. */
  protected JobExchangeContract() {}

  @Test
  void jobsOfALaneAreTakenInTheOrderInWhichTheyCame() {
    List<JobId> expected = new ArrayList<>(enqueue(5, aJob()));
    expected.addAll(enqueue(5, aJob()));
    List<JobId> taken = new ArrayList<>(ids(claim(a, 3)));
    taken.addAll(ids(claim(b, 4)));
    taken.addAll(ids(claim(a, 10)));
    assertThat(taken).isEqualTo(expected);
    StoreExchange.Reply nothing = exchange(a, 1);
    assertThat(nothing.jobs()).isEmpty();
    assertThat(nothing.more()).isFalse();
    assertThat(nothing.nextDue()).isEmpty();
  }

  @Test
  void replySaysThatThereIsMore() {
    enqueue(5, aJob());
    assertThat(exchange(a, 3).more()).isTrue();
  }

  @Test
  void exchangeClaimsNoMoreThanRequested() {
    List<JobId> ids = enqueue(5, aJob());
    assertThat(exchange(a, 0).jobs()).isEmpty();
    assertThat(exchange(a, 2).jobs()).hasSize(2);
    assertThat(states(ids.subList(2, 5))).containsOnly(JobState.READY);
  }

  @Test
  void jobOfAReplicaIsShownAsItsRun() {
    JobId id = enqueue(aJob());
    ClaimedJob claimed = claimOne(a);
    assertThat(claimed.run()).isEqualTo(new JobRun(id, 1, 1));
    Job.Running run = job(id).run().orElseThrow();
    assertThat(run.number()).isEqualTo(1);
    assertThat(run.replica()).isEqualTo(nameOf(a));
    assertThat(run.claimedAt()).isCloseTo(jobs().now(), within(1, ChronoUnit.MINUTES));
    assertThat(run.startedAt()).isEmpty();
  }

  @Test
  void onlyRequestedKindsAndQueuesAreClaimed() {
    JobId unknown = enqueue(aJob().kind("newer-kind"));
    JobId elsewhere = enqueue(aJob().queue("else"));
    JobId wanted = enqueue(aJob());
    StoreExchange turn =
        new StoreExchange(
            a,
            1_000,
            List.of(),
            10,
            Set.of(DraftBuilder.KIND, "other"),
            Set.of(DraftBuilder.QUEUE, "x"));
    assertThat(ids(turn.with(jobs()).jobs())).containsExactly(wanted);
    assertThat(states(List.of(unknown, elsewhere))).containsOnly(JobState.READY);
    assertThat(ids(claim(b, 10))).as("all queues").containsExactly(elsewhere);
    assertThat(newExchange(b, 10, Set.of()).with(jobs()).jobs()).as("no kinds").isEmpty();
    assertThat(claimOne(b, Set.of("newer-kind")).id()).isEqualTo(unknown);
  }

  @Test
  void exchangeThatClaimedNothingMayClaimLater() {
    StoreExchange turn = newExchange(a, 2, KINDS);
    assertThat(turn.with(jobs()).jobs()).isEmpty();
    List<JobId> ids = enqueue(3, aJob());
    assertThat(ids(turn.with(jobs()).jobs())).isEqualTo(ids.subList(0, 2));
    assertThat(ids(turn.with(jobs()).jobs())).as("once").isEqualTo(ids.subList(0, 2));
    assertThat(states(ids.subList(2, 3))).containsOnly(JobState.READY);
  }

  /** Else the replica would ask under this number for ever. */
  @Test
  void exchangeSaysThatItsNumberIsUsedThoughOthersEndedAllOfIt() {
    StoreExchange turn = newExchange(a, 2, KINDS);
    assertThat(turn.with(jobs()).used()).isFalse();
    JobId id = enqueue(aJob());
    assertThat(turn.with(jobs()).used()).isTrue();
    jobs().cancel(id, "ann", "before the replica heard of it");
    JobId other = enqueue(aJob());
    StoreExchange.Reply again = turn.with(jobs());
    assertThat(again.jobs()).isEmpty();
    assertThat(again.used()).isTrue();
    assertThat(ids(claim(a, 2))).containsExactly(other);
  }

  /** The network may deliver a turn once more when its replica has long gone on. */
  @Test
  void lateCopyOfAnExchangeOfALiveReplicaClaimsNothing() {
    StoreExchange first = newExchange(a, 2, KINDS);
    assertThat(first.with(jobs()).jobs()).isEmpty();
    enqueue(aJob());
    ClaimedJob early = first.with(jobs()).jobs().get(0);
    enqueue(aJob());
    ClaimedJob late = claimOne(a);
    succeed(a, early);
    succeed(a, late);
    JobId other = enqueue(aJob());
    StoreExchange.Reply copy = first.with(jobs());
    assertThat(copy.jobs()).isEmpty();
    assertThat(copy.used()).isTrue();
    assertThat(claimOne(b).id()).isEqualTo(other);
  }

  @Test
  void racingReplicasGetEachJobOnce() {
    List<JobId> ids = enqueue(200, aJob());
    List<List<ClaimedJob>> taken =
        Race.run(
            8,
            i -> {
              List<ClaimedJob> all = new ArrayList<>();
              for (int round = 0; round < 5; round++) {
                all.addAll(claim(i % 2 == 0 ? a : b, 10));
              }
              return all;
            });
    List<JobId> all = new ArrayList<>();
    taken.forEach(jobs -> all.addAll(ids(jobs)));
    all.addAll(ids(claim(c, 200)));
    assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void racingReplicasEndEachJobOnceHoweverOftenTheyGiveItBack() {
    List<JobId> ids = enqueue(24, aJob());
    AtomicInteger succeeded = new AtomicInteger();
    Race.run(
        4,
        i -> {
          MemberId replica = i % 2 == 0 ? a : b;
          List<Completion> finishes = List.of();
          for (int turn = 0; turn < 400 && succeeded.get() < 24; turn++) {
            StoreExchange.Reply reply = exchange(replica, 5, finishes.toArray(new Completion[0]));
            assertThat(reply.finished()).doesNotContain(false);
            succeeded.addAndGet(
                (int) finishes.stream().filter(JobExchangeContract::isLast).count());
            finishes = reply.jobs().stream().map(run -> ended(run, endOf(run))).toList();
          }
          return true;
        });
    assertThat(states(ids)).containsOnly(JobState.SUCCEEDED);
    assertThat(ids).allMatch(id -> job(id).attempts().size() == 3);
    assertThat(job(ids.get(0)).attempts())
        .extracting(Job.Attempt::attempt)
        .containsExactly(1, 1, 2);
  }

  /** Has the first run be handed back, the second be repeated, and the third succeed. */
  private static End endOf(ClaimedJob run) {
    return switch (run.run().number()) {
      case 1 -> new HandedBack();
      case 2 -> new Retried("no", Duration.ZERO);
      default -> success();
    };
  }

  private static boolean isLast(Completion finish) {
    return finish.result() instanceof Succeeded;
  }

  @Test
  void successIsRecordedWithItsResult() {
    JobId id = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    Instant startedAt = jobs().now().minusSeconds(3).truncatedTo(ChronoUnit.MILLIS);
    Completion finish =
        new Completion(run, new Succeeded(new byte[] {1, 2}), startedAt, Duration.ofMillis(2_500));
    assertThat(exchange(a, 0, finish).finished()).containsExactly(true);
    Job job = job(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.result().orElseThrow()).containsExactly(1, 2);
    assertThat(job.attempts()).hasSize(1);
    Job.Attempt attempt = job.attempts().get(0);
    assertThat(attempt.run()).isEqualTo(1);
    assertThat(attempt.attempt()).isEqualTo(1);
    assertThat(attempt.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(attempt.replica()).contains(nameOf(a));
    assertThat(attempt.startedAt()).contains(startedAt);
    assertThat(attempt.endedAt()).isCloseTo(jobs().now(), within(1, ChronoUnit.MINUTES));
    assertThat(attempt.took()).isEqualTo(Duration.ofMillis(2_500));
    assertThat(attempt.detail()).isEmpty();
  }

  @Test
  void runThatNeverBeganHasNoBeginning() {
    JobId id = enqueue(aJob());
    exchange(a, 0, new Completion(claimOne(a), new Died("cannot be read"), null, Duration.ZERO));
    assertThat(job(id).attempts().get(0).startedAt()).isEmpty();
    assertThat(job(id).attempts().get(0).detail()).contains("cannot be read");
  }

  @Test
  void successWithoutAResultHasNone() {
    JobId id = enqueue(aJob());
    succeed(a, claimOne(a));
    assertThat(job(id).result()).isEmpty();
  }

  @Test
  void failureIsTriedAgainUntilTheAttemptsAreUsedUp() {
    JobId id = enqueue(aJob().maxAttempts(3));
    for (int attempt = 1; attempt <= 3; attempt++) {
      ClaimedJob run = claimOne(a);
      assertThat(run.run()).isEqualTo(new JobRun(id, attempt, attempt));
      assertThat(complete(a, run, new Retried("error " + attempt, Duration.ZERO))).isTrue();
    }
    Job job = job(id);
    assertThat(job.state()).isEqualTo(JobState.DEAD);
    assertThat(job.attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Outcome.RETRIED, Outcome.RETRIED, Outcome.DIED);
    assertThat(job.attempts()).extracting(Job.Attempt::attempt).containsExactly(1, 2, 3);
    assertThat(job.attempts().get(2).detail()).contains("error 3");
    assertThat(claim(a, 1)).isEmpty();
  }

  @Test
  void failureWaitsForItsDelay() {
    JobId later = enqueue(aJob());
    JobId soon = enqueue(aJob());
    List<ClaimedJob> runs = claim(a, 2);
    exchange(
        a,
        0,
        ended(runs.get(0), new Retried("no", HOUR)),
        ended(runs.get(1), new Retried("no", SHORT)));
    assertThat(states(List.of(later, soon))).containsOnly(JobState.RETRYING);
    assertThat(job(later).dueAt().orElseThrow())
        .isCloseTo(jobs().now().plus(HOUR), within(1, ChronoUnit.MINUTES));
    letTimePass(SHORT.multipliedBy(2));
    assertThat(ids(claim(a, 2))).containsExactly(soon);
  }

  @Test
  void snoozingAndHandingBackCostNoAttempt() {
    JobId id = enqueue(aJob().maxAttempts(1));
    complete(a, claimOne(a), new Snoozed(HOUR));
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(claim(a, 1)).isEmpty();
    assertThat(jobs().reschedule(id, longAgo())).isTrue();
    ClaimedJob second = claimOne(b);
    assertThat(second.run()).isEqualTo(new JobRun(id, 2, 1));
    complete(b, second, new HandedBack());
    ClaimedJob third = claimOne(a);
    assertThat(third.run()).isEqualTo(new JobRun(id, 3, 1));
    complete(a, third, new Retried("no", HOUR));
    assertThat(job(id).attempts())
        .extracting(Job.Attempt::outcome)
        .containsExactly(Outcome.SNOOZED, Outcome.HANDED_BACK, Outcome.DIED);
    assertThat(job(id).attempts()).extracting(Job.Attempt::attempt).containsOnly(1);
  }

  @Test
  void releasedJobsComeFirst() {
    List<JobId> ids = enqueue(6, aJob());
    List<ClaimedJob> runs = claim(a, 3);
    exchange(a, 0, ended(runs.get(2), new HandedBack()), ended(runs.get(1), new HandedBack()));
    assertThat(ids(claim(b, 3))).containsExactly(ids.get(1), ids.get(2), ids.get(3));
  }

  @Test
  void jobMayDieOrBeDiscardedOrBeLostAtOnce() {
    JobId dead = enqueue(aJob().maxAttempts(10));
    complete(a, claimOne(a), new Died("permanent"));
    JobId discarded = enqueue(aJob());
    complete(a, claimOne(a), new Discarded("no such order"));
    assertThat(state(dead)).isEqualTo(JobState.DEAD);
    assertThat(state(discarded)).isEqualTo(JobState.CANCELLED);
    assertThat(job(discarded).attempts().get(0).outcome()).isEqualTo(Outcome.DISCARDED);
    assertThat(job(discarded).attempts().get(0).detail()).contains("no such order");
    JobId lost = enqueue(aJob().atMostOnce());
    complete(a, claimOne(a), new Lost("stopped in the middle"));
    assertThat(state(lost)).isEqualTo(JobState.UNKNOWN);
    assertThat(job(lost).attempts().get(0).outcome()).isEqualTo(Outcome.LOST);
    assertThat(job(lost).attempts().get(0).detail()).contains("stopped in the middle");
  }

  @Test
  void completionsAreAnsweredInOrderAndJobsClaimedInTheSameExchange() {
    List<JobId> ids = enqueue(5, aJob());
    List<ClaimedJob> runs = claim(a, 3);
    jobs().cancel(ids.get(1), "ann", "enough");
    StoreExchange.Reply reply =
        exchange(
            a,
            1,
            ended(runs.get(2), new HandedBack()),
            ended(runs.get(1), success()),
            ended(runs.get(0), success()));
    assertThat(reply.finished()).containsExactly(true, false, true);
    assertThat(ids(reply.jobs())).as("just handed back").containsExactly(ids.get(2));
  }

  @Test
  void repeatedExchangeDoesNothingTwice() {
    List<JobId> ids = enqueue(10, aJob());
    List<ClaimedJob> runs = claim(a, 3);
    StoreExchange turn =
        newExchange(
            a,
            4,
            KINDS,
            ended(runs.get(0), success()),
            ended(runs.get(1), new Retried("no", HOUR)),
            ended(runs.get(2), new Snoozed(HOUR)));
    StoreExchange.Reply first = turn.with(jobs());
    List<JobState> before = states(ids);
    for (int i = 0; i < 3; i++) {
      StoreExchange.Reply again = turn.with(jobs());
      assertThat(again.finished()).isEqualTo(first.finished()).containsExactly(true, true, true);
      assertThat(again.jobs())
          .extracting(ClaimedJob::run)
          .containsExactlyInAnyOrderElementsOf(first.jobs().stream().map(ClaimedJob::run).toList());
    }
    assertThat(states(ids)).isEqualTo(before);
    assertThat(job(ids.get(1)).attempts()).hasSize(1);
    assertThat(before.subList(3, 7)).containsOnly(JobState.RUNNING);
    assertThat(before.subList(7, 10)).containsOnly(JobState.READY);
  }

  @Test
  void everyEndMayBeReportedAgain() {
    List<Completion.End> ends =
        List.of(
            success(),
            new Retried("no", HOUR),
            new Snoozed(HOUR),
            new Died("no"),
            new Discarded("no"),
            new Lost("stopped"),
            new HandedBack());
    for (Completion.End end : ends) {
      JobId id = enqueue(aJob());
      ClaimedJob run = claimOne(a);
      assertThat(complete(a, run, end)).as("%s", end).isTrue();
      Job before = job(id);
      assertThat(complete(a, run, end)).as("%s again", end).isTrue();
      assertThat(job(id)).usingRecursiveComparison().isEqualTo(before);
      jobs().cancel(id, "test", "out of the way");
    }
    JobId last = enqueue(aJob().maxAttempts(1));
    ClaimedJob run = claimOne(a);
    assertThat(complete(a, run, new Retried("no", HOUR))).isTrue();
    assertThat(complete(a, run, new Retried("no", HOUR))).as("it died of it").isTrue();
    assertThat(job(last).attempts()).hasSize(1);
  }

  @Test
  void anotherEndOfTheSameRunIsRefused() {
    JobId id = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    complete(a, run, new Snoozed(HOUR));
    Job before = job(id);
    assertThat(complete(a, run, success())).isFalse();
    assertThat(complete(a, run, new Retried("no", HOUR))).isFalse();
    assertThat(job(id)).usingRecursiveComparison().isEqualTo(before);
  }

  @Test
  void repeatedExchangeReturnsOnlyWhatTheReplicaStillHolds() {
    List<JobId> ids = enqueue(4, aJob());
    StoreExchange turn = newExchange(a, 3, KINDS);
    turn.with(jobs());
    jobs().cancel(ids.get(1), "ann", "enough");
    assertThat(ids(turn.with(jobs()).jobs())).containsExactlyInAnyOrder(ids.get(0), ids.get(2));
    assertThat(state(ids.get(3))).isEqualTo(JobState.READY);
  }

  @Test
  void reportOfAnotherReplicaOrAnotherRunIsRefused() {
    JobId id = enqueue(aJob());
    ClaimedJob first = claimOne(a);
    assertThat(complete(b, first, success())).as("not its own").isFalse();
    complete(a, first, new HandedBack());
    ClaimedJob second = claimOne(b);
    assertThat(complete(a, first, success())).as("an old run").isFalse();
    assertThat(complete(b, first, success())).as("an old run of another").isFalse();
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    succeed(b, second);
    assertThat(complete(b, first, success())).isFalse();
  }
}
