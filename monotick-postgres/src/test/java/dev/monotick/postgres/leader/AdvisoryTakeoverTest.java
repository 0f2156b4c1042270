package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.leader.Cluster.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a lock that is free may be taken, and when not; see decision 8. */
@Tag("thorough")
@Timeout(120)
class AdvisoryTakeoverTest {

  private static final Duration LEASE = Cluster.TIMING.leaseDuration();

  private final Cluster cluster = new Cluster(TestDatabase.on(TestDatabase.NEWEST));

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void serverFreesTheLockOfALeaderThatFellSilent() {
    Member leader = cluster.member();
    Member follower = cluster.member();
    long sent = System.nanoTime();
    Fence old = leader.candidacy.tryAcquire().orElseThrow();

    Fence fresh = Cluster.awaitTerm(follower.candidacy);

    assertThat(Cluster.since(sent)).isBetween(LEASE, LEASE.multipliedBy(2));
    assertThat(fresh.isNewerThan(old)).isTrue();
    assertThat(leader.candidacy.renew(old)).isFalse();
    assertThat(follower.candidacy.renew(fresh)).isTrue();
  }

  @Test
  void leaderWhoseSessionWasTerminatedIsNotFollowedBeforeItsLeaseEnds() {
    Member leader = cluster.member();
    Member follower = cluster.member();
    Fence old = leader.candidacy.tryAcquire().orElseThrow();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();
    long sent = System.nanoTime();
    assertThat(leader.candidacy.renew(old)).isTrue();

    int session = cluster.leaderSession().orElseThrow();
    cluster.terminate(session);
    Cluster.awaitTrue(
        "the follower has the lock",
        () -> {
          assertThat(follower.candidacy.tryAcquire()).as("no term yet").isEmpty();
          OptionalInt holder = cluster.leaderSession();
          return holder.isPresent() && holder.getAsInt() != session;
        });
    assertThat(Cluster.since(sent)).as("long before").isLessThan(LEASE);
    assertThat(leader.candidacy.renew(old)).as("definitely over").isFalse();

    Fence fresh = Cluster.awaitTerm(follower.candidacy);
    assertThat(Cluster.since(sent)).isBetween(LEASE, LEASE.multipliedBy(2));
    assertThat(fresh.isNewerThan(old)).isTrue();
  }

  @Test
  void leaderWhoseProcessEndedIsFollowedAtOnce() {
    Member leader = cluster.member();
    Member follower = cluster.member();
    Fence old = leader.candidacy.tryAcquire().orElseThrow();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();
    assertThat(leader.candidacy.renew(old)).isTrue();

    long killed = System.nanoTime();
    leader.kill();
    Fence fresh = Cluster.awaitTerm(follower.candidacy);

    assertThat(Cluster.since(killed)).isLessThan(LEASE.dividedBy(2));
    assertThat(fresh.isNewerThan(old)).isTrue();
  }

  @Test
  void presenceMayEndSomePollsAfterTheLock() {
    Member leader = cluster.member();
    Member follower = cluster.member();
    Fence old = leader.candidacy.tryAcquire().orElseThrow();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();

    leader.candidacy.abandon();
    Cluster.awaitTrue(
        "the follower has the lock",
        () -> {
          assertThat(follower.candidacy.tryAcquire()).isEmpty();
          return cluster.leaderSession().isPresent();
        });
    leader.kill();
    long killed = System.nanoTime();
    Fence fresh = Cluster.awaitTerm(follower.candidacy);

    assertThat(Cluster.since(killed)).isLessThan(LEASE.dividedBy(2));
    assertThat(fresh.isNewerThan(old)).isTrue();
  }

  @Test
  void whoeverDidNotSeeTheLeaderAliveWaits() {
    Member leader = cluster.member();
    Fence old = leader.candidacy.tryAcquire().orElseThrow();
    leader.kill(); // for all that a newcomer knows, the server was restarted just now

    Member newcomer = cluster.member();
    long first = System.nanoTime();
    assertThat(newcomer.candidacy.tryAcquire()).isEmpty();
    Fence fresh = Cluster.awaitTerm(newcomer.candidacy);

    assertThat(Cluster.since(first)).isBetween(LEASE, LEASE.multipliedBy(2));
    assertThat(fresh.isNewerThan(old)).isTrue();
  }

  @Test
  void lockThatAnotherCandidateHeldProvesNothing() {
    Member leader = cluster.member();
    Fence unused = leader.candidacy.tryAcquire().orElseThrow();
    leader.kill();
    Member waiting = cluster.member();
    Member third = cluster.member();
    assertThat(waiting.candidacy.tryAcquire()).as("has the lock and waits").isEmpty();
    assertThat(third.candidacy.tryAcquire()).as("sees the lock held").isEmpty();

    waiting.candidacy.abandon();
    Cluster.awaitTrue("the lock is free", () -> cluster.leaderSession().isEmpty());
    assertThat(third.candidacy.tryAcquire()).as("has the lock and waits").isEmpty();
    assertThat(cluster.leaderSession()).isPresent();
  }

  @Test
  void leaderWithoutPresenceIsNotTakenForDead() {
    Member leader = cluster.member();
    Member follower = cluster.member();
    Fence old = leader.candidacy.tryAcquire().orElseThrow();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();
    leader.replica.notices.close();
    Cluster.awaitTrue("no presence", () -> cluster.presenceSession(leader).isEmpty());
    long sent = System.nanoTime();
    assertThat(leader.candidacy.renew(old)).as("needs no presence").isTrue();

    leader.candidacy.abandon();
    Fence fresh = Cluster.awaitTerm(follower.candidacy);

    assertThat(Cluster.since(sent)).isGreaterThanOrEqualTo(LEASE);
    assertThat(fresh.isNewerThan(old)).isTrue();
  }

  @Test
  void candidateThatFreezesWhileItWaitsIsOvertaken() {
    Member leader = cluster.member();
    Fence unused = leader.candidacy.tryAcquire().orElseThrow();
    leader.kill();
    Member frozen = cluster.member();
    Member other = cluster.member();
    assertThat(frozen.candidacy.tryAcquire()).isEmpty();
    long start = System.nanoTime();
    Cluster.awaitTerm(other.candidacy);
    assertThat(Cluster.since(start)).isLessThan(LEASE.multipliedBy(2));
  }

  @Test
  void candidateSaysWhenASilentLeaseEnds() {
    Member leader = cluster.member();
    Member follower = cluster.member();
    assertThat(follower.candidacy.mayBeFreeIn()).isEmpty();
    Fence term = leader.candidacy.tryAcquire().orElseThrow();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();
    Optional<Duration> left = follower.candidacy.mayBeFreeIn();
    assertThat(left).isPresent();
    assertThat(left.orElseThrow()).isBetween(LEASE.dividedBy(2), LEASE);
    leader.candidacy.release(term);
    Cluster.awaitTerm(follower.candidacy);
  }

  @Test
  void handOverTakesLessThanATenthOfASecond() throws InterruptedException {
    Member[] members = {cluster.member(), cluster.member()};
    Semaphore[] told = {new Semaphore(0), new Semaphore(0)};
    for (int i = 0; i < 2; i++) {
      members[i].candidacy.whenFreed(told[i]::release);
    }
    Fence term = members[0].candidacy.tryAcquire().orElseThrow();
    assertThat(members[1].candidacy.tryAcquire()).isEmpty();
    List<Duration> taken = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      Member from = members[round % 2];
      Member to = members[1 - round % 2];
      Semaphore signal = told[1 - round % 2];
      signal.drainPermits();
      long start = System.nanoTime();
      from.candidacy.release(term);
      assertThat(signal.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      term = to.candidacy.tryAcquire().orElseThrow();
      taken.add(Cluster.since(start));
    }
    Collections.sort(taken);
    assertThat(taken.get(10)).isLessThan(Duration.ofMillis(100));
  }
}
