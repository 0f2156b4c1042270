package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobLimit.Rate;
import dev.monotick.job.JobLimit.Scope;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Lost;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.Completion.Snoozed;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every job store keeps limits exactly, over all replicas, and forgets nobody who waits. */
@Timeout(120)
public abstract class JobLimitContract extends JobStoreContract {

  private static final Scope OF_KIND = new Scope(DraftBuilder.KIND, "", false);
  private static final Scope OF_KEY = new Scope(DraftBuilder.KIND, "", true);

  /** For backends. */
  protected JobLimitContract() {}

  @Test
  void limitsAreShownAsTheyWereSet() {
    JobLimit first = running(OF_KIND, 2);
    JobLimit second = running(new Scope("", "acme", false), 7);
    jobs().limit(first);
    jobs().limit(second);
    assertThat(jobs().limits()).containsExactlyInAnyOrder(first, second);
    JobLimit other =
        new JobLimit(OF_KIND, Optional.of(3), Optional.of(new Rate(5, Duration.ofSeconds(2))));
    jobs().limit(other);
    assertThat(jobs().limits())
        .as("in place of the first")
        .containsExactlyInAnyOrder(other, second);
    assertThat(jobs().removeLimit(OF_KIND)).isTrue();
    assertThat(jobs().removeLimit(OF_KIND)).isFalse();
    assertThat(jobs().limits()).containsExactly(second);
  }

  @Test
  void noMoreRunAtATimeThanTheLimitOfTheirKind() {
    jobs().limit(running(OF_KIND, 2));
    List<JobId> ids = enqueue(5, aJob());
    JobId other = enqueue(aJob().kind(OTHER_KIND));
    List<ClaimedJob> first = claim(a, 10);
    assertThat(ids(first)).containsExactlyInAnyOrder(ids.get(0), ids.get(1), other);
    assertThat(exchange(b, 10).jobs()).isEmpty();
    assertThat(exchange(b, 10).more()).as("nothing that may run").isFalse();
    assertThat(states(ids.subList(2, 5))).containsOnly(JobState.READY);
    succeed(a, find(first, ids.get(0)));
    assertThat(ids(claim(b, 10))).containsExactly(ids.get(2));
  }

  @Test
  void everyEndOfARunMakesRoom() {
    jobs().limit(running(OF_KIND, 1));
    List<Completion.End> ends =
        List.of(
            success(),
            new Retried("no", HOUR),
            new Snoozed(HOUR),
            new Died("no"),
            new Discarded("no"),
            new Lost("stopped"));
    enqueue(10, aJob());
    for (Completion.End end : ends) {
      ClaimedJob run = claimOne(a);
      assertThat(claim(b, 1)).as("before %s", end).isEmpty();
      Completion finish = ended(run, end);
      assertThat(exchange(a, 0, finish).finished()).containsExactly(true);
      assertThat(exchange(a, 0, finish).finished()).as("makes room once").containsExactly(true);
    }
    ClaimedJob handedBack = claimOne(a);
    complete(a, handedBack, new HandedBack());
    ClaimedJob again = claimOne(a);
    assertThat(again.id()).isEqualTo(handedBack.id());
    assertThat(jobs().cancel(again.id(), "ann", "no")).isTrue();
    assertThat(complete(a, again, success())).isFalse();
    ClaimedJob lost = claimOne(a);
    loseAndRescue(a);
    assertThat(claimOne(b).id()).as("after a rescue").isEqualTo(lost.id());
    assertThat(claim(b, 5)).isEmpty();
  }

  @Test
  void racingReplicasDoNotExceedALimit() {
    jobs().limit(running(OF_KIND, 3));
    enqueue(40, aJob());
    List<ClaimedJob> runs = new ArrayList<>();
    Race.run(6, i -> claim(i % 2 == 0 ? a : b, 10)).forEach(runs::addAll);
    runs.addAll(claim(c, 10));
    assertThat(runs).hasSize(3);
  }

  @Test
  void limitsHoldWhileManyTakeAndEnd() {
    jobs().limit(running(OF_KIND, 3));
    jobs().limit(running(OF_KEY, 1));
    enqueue(20, aJob().limitKey("x"));
    enqueue(20, aJob());
    AtomicInteger ofKind = new AtomicInteger();
    AtomicInteger ofKey = new AtomicInteger();
    AtomicInteger mostOfKind = new AtomicInteger();
    AtomicInteger mostOfKey = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    Race.run(
        4,
        i -> {
          MemberId replica = i % 2 == 0 ? a : b;
          for (int turn = 0; turn < 400 && ended.get() < 40; turn++) {
            List<ClaimedJob> runs = claim(replica, 2);
            for (ClaimedJob run : runs) {
              AtomicInteger held = run.limitKey().isPresent() ? ofKey : new AtomicInteger();
              mostOfKey.accumulateAndGet(held.incrementAndGet(), Math::max);
              mostOfKind.accumulateAndGet(ofKind.incrementAndGet(), Math::max);
            }
            for (ClaimedJob run : runs) {
              ofKey.addAndGet(run.limitKey().isPresent() ? -1 : 0);
              ofKind.decrementAndGet();
              succeed(replica, run);
              ended.incrementAndGet();
            }
          }
          return true;
        });
    assertThat(ended.get()).as("nobody was forgotten").isEqualTo(40);
    assertThat(mostOfKind.get()).isLessThanOrEqualTo(3);
    assertThat(mostOfKey.get()).isLessThanOrEqualTo(1);
  }

  @Test
  void limitOfATenantBoundsAllItsKinds() {
    jobs().limit(running(new Scope("", "acme", false), 2));
    enqueue(2, aJob().tenant("acme"));
    enqueue(2, aJob().tenant("acme").kind(OTHER_KIND));
    List<JobId> others = enqueue(3, aJob().tenant("other"));
    List<ClaimedJob> runs = claim(a, 20);
    assertThat(runs).filteredOn(run -> run.lane().tenant().equals("acme")).hasSize(2);
    assertThat(ids(runs)).containsAll(others).hasSize(5);
  }

  @Test
  void limitOfAKindOfATenantBoundsNothingElse() {
    jobs().limit(running(new Scope(DraftBuilder.KIND, "acme", false), 1));
    enqueue(3, aJob().tenant("acme"));
    enqueue(3, aJob().tenant("acme").kind(OTHER_KIND));
    enqueue(3, aJob());
    assertThat(claim(a, 20)).hasSize(7);
  }

  @Test
  void eachTenantMayHaveALimitOfItsOwn() {
    jobs().limit(running(new Scope(DraftBuilder.KIND, Scope.EACH, false), 2));
    enqueue(4, aJob().tenant("acme"));
    enqueue(4, aJob().tenant("bolt"));
    enqueue(1, aJob().tenant("core"));
    List<ClaimedJob> runs = claim(a, 20);
    assertThat(runs)
        .extracting(run -> run.lane().tenant())
        .containsExactlyInAnyOrder("acme", "acme", "bolt", "bolt", "core");
  }

  @Test
  void allLimitsOfAJobMustHaveRoom() {
    jobs().limit(running(OF_KIND, 3));
    jobs().limit(running(new Scope("", "acme", false), 1));
    enqueue(5, aJob().tenant("acme"));
    enqueue(5, aJob().tenant("bolt"));
    List<ClaimedJob> runs = claim(a, 20);
    assertThat(runs).hasSize(3);
    assertThat(runs).filteredOn(run -> run.lane().tenant().equals("acme")).hasSizeLessThan(2);
  }

  @Test
  void eachKeyMayHaveALimitOfItsOwn() {
    jobs().limit(running(OF_KEY, 1));
    List<JobId> x = enqueue(3, aJob().limitKey("x"));
    List<JobId> y = enqueue(2, aJob().limitKey("y"));
    List<JobId> none = enqueue(2, aJob());
    List<ClaimedJob> first = claimAll(a);
    assertThat(ids(first)).containsExactlyInAnyOrder(x.get(0), y.get(0), none.get(0), none.get(1));
    assertThat(states(List.of(x.get(1), x.get(2), y.get(1)))).containsOnly(JobState.READY);
    succeed(a, find(first, x.get(0)));
    List<ClaimedJob> second = claimAll(b);
    assertThat(ids(second)).containsExactly(x.get(1));
    assertThat(jobs().cancel(x.get(2), "ann", "no")).as("while it is blocked").isTrue();
    succeed(b, second.get(0));
    succeed(a, find(first, y.get(0)));
    assertThat(ids(claimAll(b))).containsExactly(y.get(1));
  }

  @Test
  void jobsOfAKeyRunInTheOrderInWhichTheyCame() {
    jobs().limit(running(OF_KEY, 1));
    List<JobId> ids = enqueue(5, aJob().limitKey("x"));
    List<JobId> taken = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      List<ClaimedJob> runs = claimAll(a);
      assertThat(runs).hasSize(1);
      taken.add(runs.get(0).id());
      succeed(a, runs.get(0));
    }
    assertThat(taken).isEqualTo(ids);
  }

  @Test
  void cancellingTheFirstBlockedJobDoesNotHoldUpOthers() {
    jobs().limit(running(OF_KEY, 1));
    List<JobId> ids = enqueue(3, aJob().limitKey("x"));
    ClaimedJob first = claimAll(a).get(0);
    succeed(a, first);
    assertThat(jobs().cancel(ids.get(1), "ann", "no")).isTrue();
    assertThat(ids(claimAll(a))).containsExactly(ids.get(2));
  }

  @Test
  void blockedJobsExpireToo() {
    jobs().limit(running(OF_KEY, 1));
    DraftBuilder wish = aJob().limitKey("x");
    enqueue(wish);
    JobId late = enqueue(wish.deadline(jobs().now().plus(SHORT.multipliedBy(3))));
    claimAll(a);
    letTimePass(SHORT.multipliedBy(4));
    expectSoon(late, JobState.EXPIRED);
  }

  @Test
  void limitThatIsRaisedLoweredOrRemovedIsEffectiveAtOnce() {
    jobs().limit(running(OF_KIND, 1));
    enqueue(20, aJob());
    List<ClaimedJob> runs = new ArrayList<>(claim(a, 20));
    assertThat(runs).hasSize(1);
    jobs().limit(running(OF_KIND, 4));
    runs.addAll(claim(a, 20));
    assertThat(runs).hasSize(4);
    jobs().limit(running(OF_KIND, 2));
    succeed(a, runs.get(0));
    succeed(a, runs.get(1));
    assertThat(claim(b, 20)).as("two run").isEmpty();
    succeed(a, runs.get(2));
    assertThat(claim(b, 20)).hasSize(1);
    jobs().removeLimit(OF_KIND);
    assertThat(claim(b, 20)).hasSize(15);
  }

  @Test
  void runsThatBeganBeforeALimitWasSetCount() {
    enqueue(20, aJob());
    List<ClaimedJob> runs = new ArrayList<>(claim(a, 2));
    runs.addAll(claim(b, 2));
    jobs().limit(running(OF_KIND, 3));
    assertThat(claim(b, 10)).as("four run").isEmpty();
    succeed(a, runs.remove(0));
    assertThat(claim(b, 10)).as("three run").isEmpty();
    succeed(a, runs.remove(0));
    runs.addAll(claim(c, 10));
    assertThat(runs).hasSize(3);
    jobs().limit(running(OF_KIND, 5));
    runs.addAll(claim(a, 10));
    assertThat(runs).as("none is counted twice").hasSize(5);
    jobs().limit(running(OF_KIND, 2));
    succeed(b, runs.remove(0));
    succeed(b, runs.remove(0));
    succeed(c, runs.remove(0));
    assertThat(claim(a, 10)).as("two run").isEmpty();
    succeed(a, runs.remove(0));
    runs.addAll(claim(b, 10));
    assertThat(runs).hasSize(2);
  }

  @Test
  void everyEndOfARunThatBeganBeforeTheLimitMakesRoomOnce() {
    List<Completion.End> ends =
        List.of(
            success(),
            new Retried("no", HOUR),
            new Snoozed(HOUR),
            new Died("no"),
            new Discarded("no"),
            new Lost("stopped"));
    enqueue(20, aJob());
    List<ClaimedJob> runs = claim(a, 10);
    assertThat(runs).hasSize(10);
    jobs().limit(running(OF_KIND, 1));
    for (int i = 0; i < ends.size(); i++) {
      Completion finish = ended(runs.get(i), ends.get(i));
      assertThat(exchange(a, 0, finish).finished()).containsExactly(true);
      assertThat(exchange(a, 0, finish).finished()).as("makes room once").containsExactly(true);
    }
    complete(a, runs.get(6), new HandedBack());
    assertThat(jobs().cancel(runs.get(7).id(), "ann", "no")).isTrue();
    assertThat(complete(a, runs.get(7), success())).isFalse();
    assertThat(claim(b, 5)).as("two run").isEmpty();
    loseAndRescue(a);
    assertThat(claim(b, 5)).hasSize(1);
    assertThat(claim(b, 5)).isEmpty();
  }

  @Test
  void runsThatBeganWithoutALimitCountAgainWhenThereIsOne() {
    jobs().limit(running(OF_KIND, 2));
    enqueue(20, aJob());
    List<ClaimedJob> runs = new ArrayList<>(claim(a, 10));
    jobs().removeLimit(OF_KIND);
    runs.addAll(claim(a, 2));
    jobs().limit(running(OF_KIND, 4));
    assertThat(claim(b, 10)).as("four run").isEmpty();
    Rate fast = new Rate(1_000, Duration.ofMillis(1));
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(fast)));
    runs.addAll(claim(a, 2));
    jobs().limit(new JobLimit(OF_KIND, Optional.of(6), Optional.of(fast)));
    assertThat(runs).hasSize(6);
    assertThat(claim(b, 10)).as("six run").isEmpty();
    runs.forEach(run -> succeed(a, run));
    assertThat(claim(b, 10)).hasSize(6);
  }

  @Test
  void runsThatBeganBeforeCountForTheirTenantAndKey() {
    List<JobId> x = enqueue(3, aJob().tenant("acme").limitKey("x"));
    enqueue(3, aJob().tenant("acme"));
    enqueue(1, aJob().tenant("bolt"));
    List<ClaimedJob> first = claimAll(a);
    assertThat(first).hasSize(7);
    jobs().limit(running(new Scope(DraftBuilder.KIND, Scope.EACH, false), 7));
    jobs().limit(running(OF_KEY, 3));
    jobs().limit(running(new Scope(OTHER_KIND, "", false), 1));
    List<JobId> blocked = enqueue(2, aJob().tenant("acme").limitKey("x"));
    JobId free = enqueue(aJob().tenant("acme").limitKey("y"));
    enqueue(10, aJob().tenant("bolt"));
    JobId other = enqueue(aJob().tenant("acme").kind(OTHER_KIND));
    List<ClaimedJob> second = claimAll(b);
    assertThat(second).filteredOn(run -> run.lane().tenant().equals("bolt")).hasSize(6);
    assertThat(ids(second)).hasSize(8).contains(free, other);
    succeed(a, find(first, x.get(0)));
    succeed(a, find(first, x.get(1)));
    List<ClaimedJob> third = claimAll(b);
    assertThat(ids(third)).containsExactlyElementsOf(blocked);
  }

  @Test
  void jobsThatAKeyBlockedAreFreeWithoutTheLimit() {
    jobs().limit(running(OF_KEY, 1));
    List<JobId> ids = enqueue(4, aJob().limitKey("x"));
    assertThat(claimAll(a)).hasSize(1);
    jobs().removeLimit(OF_KEY);
    assertThat(ids(claimAll(a))).containsExactlyElementsOf(ids.subList(1, 4));
  }

  @Test
  void noMoreBeginInAPeriodThanTheRateAllows() {
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(3, HOUR))));
    enqueue(10, aJob());
    List<ClaimedJob> runs = claim(a, 10);
    assertThat(runs).hasSize(3);
    runs.forEach(run -> succeed(a, run));
    assertThat(claim(b, 10)).as("ends make no room").isEmpty();
  }

  @Test
  void rateLetsOthersBeginWhenTimeHasPassed() {
    Duration period = SHORT.multipliedBy(2);
    jobs().limit(new JobLimit(OF_KIND, Optional.empty(), Optional.of(new Rate(2, period))));
    enqueue(20, aJob());
    assertThat(claim(a, 10)).hasSize(2);
    letTimePass(period.multipliedBy(3));
    assertThat(claim(a, 10)).as("no more than one period's worth").hasSize(2);
  }

  @Test
  void exchangeThatClaimsNothingUsesNothingOfALimit() {
    jobs().limit(running(OF_KIND, 2));
    enqueue(4, aJob());
    List<ClaimedJob> runs = claim(a, 1);
    assertThat(newExchange(b, 5, Set.of(OTHER_KIND)).with(jobs()).jobs()).isEmpty();
    assertThat(claim(b, 5)).hasSize(1);
    succeed(a, runs.get(0));
    assertThat(claim(b, 5)).hasSize(1);
  }

  /** Claims in several turns: a store may find out in one which jobs it has to pass over. */
  private List<ClaimedJob> claimAll(MemberId replica) {
    List<ClaimedJob> runs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      runs.addAll(claim(replica, 20));
    }
    return runs;
  }

  private static ClaimedJob find(List<ClaimedJob> runs, JobId id) {
    return runs.stream().filter(run -> run.id().equals(id)).findFirst().orElseThrow();
  }

  private static JobLimit running(Scope scope, int most) {
    return new JobLimit(scope, Optional.of(most), Optional.empty());
  }
}
