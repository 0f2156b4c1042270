package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.StoreException;
import dev.monotick.leader.Fence;
import dev.monotick.postgres.ServerTime;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.leader.Cluster.Member;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.replica.LeaseTiming;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that crash and come back, or come back as another. */
@Tag("thorough")
@Timeout(120)
class ServerLossTest {

  /** Longer than it takes to restart the server. */
  private static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofSeconds(6),
          Duration.ofMillis(500),
          Duration.ofMillis(1000),
          Duration.ofMillis(600));

  private final PrivateServer server = PrivateServer.start(TestDatabase.NEWEST);
  private final Cluster cluster = new Cluster(server.database());

  @AfterEach
  void close() {
    cluster.close();
    server.close();
  }

  @Test
  void restartedServerHasNoLocksButTheTermIsLeftToRunOut() {
    Member leader = cluster.member(TIMING);
    Member follower = cluster.member(TIMING);
    Fence old = leader.candidacy.tryAcquire().orElseThrow();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();
    long sent = System.nanoTime();
    assertThat(leader.candidacy.renew(old)).isTrue();
    assertThat(follower.candidacy.tryAcquire()).isEmpty();

    server.crashAndRestart();
    assertThat(Cluster.since(sent)).as("the restart was quick").isLessThan(Duration.ofSeconds(5));
    Fence fresh = null;
    while (fresh == null) {
      Optional<Fence> term = Cluster.attempt(follower.candidacy);
      assertThat(term.isEmpty() || Cluster.since(sent).compareTo(TIMING.leaseDuration()) >= 0)
          .as("no term before the leader's is over")
          .isTrue();
      fresh = term.orElse(null);
      ServerTime.pass(Duration.ofMillis(50));
    }
    assertThat(Cluster.since(sent)).isLessThan(TIMING.leaseDuration().multipliedBy(2));
    assertThat(fresh.isNewerThan(old)).isTrue();
    assertThat(leader.candidacy.renew(old)).isFalse();
  }

  @Test
  void leaderIsToldToDoubtItsTermWhenTheServerCrashes() {
    Member leader = cluster.member(TIMING);
    AtomicBoolean doubted = new AtomicBoolean();
    leader.candidacy.whenDoubtful(() -> doubted.set(true));
    Fence term = leader.candidacy.tryAcquire().orElseThrow();
    server.crashAndRestart();
    Cluster.awaitTrue("doubt", doubted::get);
    assertThat(leader.candidacy.renew(term)).as("definite at the first try").isFalse();
  }

  @Test
  void promotedServerEndsTermsAndMintsFencesOfItsOwnTimeline() {
    Replica replica = new Replica(server.database());
    try (LeaseRowElection rows = replica.leaseRow(TIMING);
        AdvisoryElection locks = replica.advisory(TIMING);
        Candidacy row = rows.candidate("row", replica.id, TIMING);
        Candidacy lock = locks.candidate("lock", replica.id, TIMING)) {
      Fence oldRow = row.tryAcquire().orElseThrow();
      Fence oldLock = lock.tryAcquire().orElseThrow();
      assertThat(oldRow.timeline()).isEqualTo(1);

      server.becomeStandby();
      assertThat(lock.renew(oldLock)).isFalse();
      assertThatThrownBy(() -> row.renew(oldRow)).isInstanceOf(StoreException.class);
      assertThatThrownBy(lock::tryAcquire)
          .as("a standby elects nobody")
          .isInstanceOf(StoreException.class);

      server.promote();
      assertThat(row.renew(oldRow)).as("the term of another history").isFalse();
      Fence newRow = Cluster.awaitTerm(row);
      Fence newLock = Cluster.awaitTerm(lock);
      assertThat(newRow.timeline()).isEqualTo(2);
      assertThat(newLock.timeline()).isEqualTo(2);
      assertThat(newRow.isNewerThan(oldRow)).isTrue();
      assertThat(newLock.isNewerThan(oldLock)).isTrue();
    } finally {
      replica.close();
    }
  }
}
