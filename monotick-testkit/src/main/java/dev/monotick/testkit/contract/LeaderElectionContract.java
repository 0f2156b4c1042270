package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.error.StoreException;
import dev.monotick.leader.Fence;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.testkit.FakeTime;
import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every election has one term at a time, and none comes back to life. */
@Timeout(120)
public abstract class LeaderElectionContract extends StoreContract {

  private static final String GROUP = "default";

  /** Some hundred microseconds: a race, but not one that leaves a server no time for the winner. */
  private static final long ASK_AGAIN_NANOS = 500_000;

  private final MemberId a = MemberId.random();
  private final MemberId b = MemberId.random();

  /** For backends. */
  protected LeaderElectionContract() {}

  @Test
  void oneTermAtATime() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence term = first.tryAcquire().orElseThrow();
      assertThat(second.tryAcquire()).isEmpty();
      assertThat(first.renew(term)).isTrue();
      assertThat(second.renew(term)).as("not b's").isFalse();
      assertThat(second.tryAcquire()).isEmpty();
    }
  }

  @Test
  void oneOfManyRacingCandidatesBecomesLeader() {
    List<Optional<Fence>> terms =
        Race.run(
            10,
            i -> {
              Candidacy candidate = candidate(MemberId.random());
              return candidate.tryAcquire(); // not closed: that may end the term
            });
    assertThat(terms).filteredOn(Optional::isPresent).hasSize(1);
  }

  @Test
  void fencesGrowWithEveryTerm() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence one = first.tryAcquire().orElseThrow();
      first.release(one);
      Fence two = second.tryAcquire().orElseThrow();
      second.release(two);
      Fence three = second.tryAcquire().orElseThrow();
      assertThat(two.isNewerThan(one)).isTrue();
      assertThat(three.isNewerThan(two)).isTrue();
    }
  }

  @Test
  void termThatIsRenewedGoesOnBeyondTheLease() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence term = first.tryAcquire().orElseThrow();
      for (int i = 0; i < 6; i++) {
        letTimePass(lease().dividedBy(3));
        assertThat(first.renew(term)).isTrue();
        assertThat(second.tryAcquire()).isEmpty();
      }
    }
  }

  @Test
  void silentLeaderKeepsItsTermForAsLongAsItMayRelyOnIt() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence term = first.tryAcquire().orElseThrow();
      letTimePass(timing().trusted().minus(timing().renewTimeout()));
      assertThat(second.tryAcquire()).isEmpty();
      assertThat(first.renew(term)).isTrue();
    }
  }

  @Test
  void silentLeaderIsFollowedByAnother() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence old = first.tryAcquire().orElseThrow();
      Fence fresh = awaitTerm(second);
      assertThat(fresh.isNewerThan(old)).isTrue();
      assertThat(first.renew(old)).isFalse();
      first.release(old);
      assertThat(second.renew(fresh)).as("not ended by the release of the old one").isTrue();
    }
  }

  @Test
  void lateRenewalNeverRevivesATermEvenIfNobodyTookIt() {
    try (Candidacy first = candidate(a)) {
      Fence term = first.tryAcquire().orElseThrow();
      letTimePass(lease());
      assertThat(first.renew(term)).isFalse();
      assertThat(first.renew(term)).isFalse();
      assertThat(awaitTerm(first).isNewerThan(term)).isTrue();
    }
  }

  @Test
  void releaseLetsAnotherBeginAtOnce() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence old = first.tryAcquire().orElseThrow();
      first.release(old);
      assertThat(first.renew(old)).isFalse();
      Fence fresh = second.tryAcquire().orElseThrow();
      first.release(old);
      assertThat(second.renew(fresh)).as("release is idempotent").isTrue();
    }
  }

  @Test
  void releaseNeedsBothHolderAndFence() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence old = first.tryAcquire().orElseThrow();
      second.release(old);
      assertThat(first.renew(old)).as("released by another").isTrue();
      first.release(old);
      Fence fresh = first.tryAcquire().orElseThrow();
      first.release(old);
      assertThat(first.renew(fresh)).as("an older term was released").isTrue();
    }
  }

  @Test
  void groupsAreElectedApart() {
    try (Candidacy first = candidate(a);
        Candidacy second = leaders().candidate("other", b, timing())) {
      Fence one = first.tryAcquire().orElseThrow();
      Fence two = second.tryAcquire().orElseThrow();
      second.release(two);
      assertThat(first.renew(one)).isTrue();
    }
  }

  @Test
  void termThatIsAbandonedRunsOutByItself() {
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence old = first.tryAcquire().orElseThrow();
      first.abandon();
      Fence fresh = awaitTerm(second);
      assertThat(fresh.isNewerThan(old)).isTrue();
      assertThat(second.renew(fresh)).isTrue();
    }
  }

  @Test
  void candidateTriesAgainAfterItAbandonedATerm() {
    try (Candidacy first = candidate(a)) {
      Fence old = first.tryAcquire().orElseThrow();
      first.abandon();
      assertThat(awaitTerm(first).isNewerThan(old)).isTrue();
    }
  }

  @Test
  void newTermMakesTheOldFenceStaleInTheLedger() {
    needs(Capability.FENCES_IN_LEDGER);
    ledger().register(List.of(new SeriesRegistration("task", "every PT1M", FakeTime.START)));
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      Fence old = first.tryAcquire().orElseThrow();
      assertThat(claimAs(a, old, 1)).isEqualTo(Kind.CLAIMED);
      Fence fresh = awaitTerm(second);
      assertThat(claimAs(a, old, 2)).isEqualTo(Kind.FENCED);
      assertThat(claimAs(b, fresh, 2)).isEqualTo(Kind.CLAIMED);
    }
  }

  @Test
  void followersAreNotifiedOfARelease() throws InterruptedException {
    needs(Capability.SIGNALS);
    Semaphore told = new Semaphore(0);
    try (Candidacy first = candidate(a);
        Candidacy second = candidate(b)) {
      second.whenFreed(told::release);
      Fence term = first.tryAcquire().orElseThrow();
      assertThat(second.tryAcquire()).isEmpty();
      told.drainPermits();
      first.release(term);
      assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      assertThat(second.tryAcquire()).isPresent();
    }
  }

  @Test
  void noIncrementIsLostUnderTheLease() {
    int runners = 6;
    int rounds = 200;
    // Read and written in two steps, so that two leaders at a time would lose an increment;
    // atomic only so that each sees what the one before it wrote.
    AtomicInteger counter = new AtomicInteger();
    List<Fence> last =
        Race.run(
            runners,
            i -> {
              Fence newest = new Fence(0, 0);
              try (Candidacy candidate = candidate(MemberId.random())) {
                for (int won = 0; won < rounds; ) {
                  Optional<Fence> term = attempt(candidate);
                  if (term.isEmpty()) {
                    LockSupport.parkNanos(ASK_AGAIN_NANOS);
                    continue;
                  }
                  int before = counter.get();
                  for (int spin = 0; spin < 1000; spin++) {
                    Thread.onSpinWait(); // time for the others to come in, if they can
                  }
                  counter.set(before + 1);
                  assertThat(term.get().isNewerThan(newest)).isTrue();
                  newest = term.get();
                  release(candidate, newest);
                  won++;
                }
              }
              return newest;
            });
    assertThat(counter).hasValue(runners * rounds);
    assertThat(last).doesNotHaveDuplicates();
  }

  /** Tries as the engine does: what was not answered is given up, and is nobody's until it ends. */
  private static Optional<Fence> attempt(Candidacy candidate) {
    try {
      return candidate.tryAcquire();
    } catch (StoreException e) {
      candidate.abandon();
      return Optional.empty();
    }
  }

  private static void release(Candidacy candidate, Fence term) {
    try {
      candidate.release(term);
    } catch (StoreException e) {
      candidate.abandon(); // its work has ended, so that it may run out
    }
  }

  private Candidacy candidate(MemberId replica) {
    return leaders().candidate(GROUP, replica, timing());
  }

  private LeaseTiming timing() {
    return leaders().defaultTiming();
  }

  private Duration lease() {
    return timing().leaseDuration();
  }

  /** Tries until the lease of a silent holder ran out: some see that only by watching it. */
  private Fence awaitTerm(Candidacy candidate) {
    Duration step = lease().dividedBy(4);
    for (int tries = 0; tries < 12; tries++) {
      Optional<Fence> term = candidate.tryAcquire();
      if (term.isPresent()) {
        return term.get();
      }
      letTimePass(step);
    }
    throw new AssertionError("the lease of a silent holder did not run out in " + lease() + " x 3");
  }

  private Kind claimAs(MemberId replica, Fence fence, int minute) {
    TickClaimReply reply =
        ledger()
            .claim(
                List.of(
                    new TickClaim(
                        new TickClaimId(replica, minute),
                        TickId.scheduled("task", FakeTime.START.plusSeconds(60L * minute)),
                        ledger().states(List.of("task")).get(0),
                        List.of(),
                        OverlapRule.ALLOW,
                        Effect.AT_MOST_ONCE,
                        new LeaderProof(GROUP, fence))))
            .get(0);
    return reply.kind();
  }
}
