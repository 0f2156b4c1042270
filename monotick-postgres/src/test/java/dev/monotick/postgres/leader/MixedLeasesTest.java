package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.postgres.PgBouncer;
import dev.monotick.postgres.ServerTime;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.leader.Cluster.Member;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replicas that are configured differently share a group, for as long as a deployment takes. */
@Tag("thorough")
@Timeout(120)
class MixedLeasesTest {

  private static final LeaseTiming SHORT = Cluster.TIMING;
  private static final LeaseTiming LONG =
      new LeaseTiming(
          Duration.ofSeconds(4),
          Duration.ofMillis(300),
          Duration.ofMillis(800),
          Duration.ofMillis(400));

  private final Cluster cluster = new Cluster(TestDatabase.on(TestDatabase.NEWEST));

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void lockDoesNotOverruleARowThatIsRenewed() {
    Member member = cluster.member();
    try (LeaseRowElection rows = member.replica.leaseRow(SHORT);
        Candidacy row = rows.candidate(Cluster.GROUP, MemberId.random(), SHORT)) {
      Fence term = row.tryAcquire().orElseThrow();
      for (int i = 0; i < 8; i++) {
        assertThat(member.candidacy.tryAcquire()).isEmpty();
        ServerTime.pass(SHORT.leaseDuration().dividedBy(4));
        assertThat(row.renew(term)).isTrue();
      }
      assertThat(Cluster.awaitTerm(member.candidacy).isNewerThan(term)).isTrue();
      assertThat(row.renew(term)).isFalse();
    }
  }

  @Test
  void rowIsNotTakenFromALockThatIsRenewed() {
    Member member = cluster.member();
    try (LeaseRowElection rows = member.replica.leaseRow(SHORT);
        Candidacy row = rows.candidate(Cluster.GROUP, MemberId.random(), SHORT)) {
      Fence term = member.candidacy.tryAcquire().orElseThrow();
      for (int i = 0; i < 8; i++) {
        assertThat(row.tryAcquire()).isEmpty();
        ServerTime.pass(SHORT.leaseDuration().dividedBy(4));
        assertThat(member.candidacy.renew(term)).isTrue();
      }
      Fence fresh = Cluster.awaitTerm(row);
      assertThat(fresh.isNewerThan(term)).isTrue();
      assertThat(member.candidacy.renew(term)).isFalse();
    }
  }

  @Test
  void identityThatIsInUseTwiceIsNotTakenForOneself() {
    Member member = cluster.member();
    MemberId same = member.replica.id;
    try (LeaseRowElection rows = member.replica.leaseRow(SHORT);
        AdvisoryElection locks = member.replica.advisory(SHORT);
        Candidacy row = rows.candidate(Cluster.GROUP, same, SHORT);
        Candidacy otherRow = rows.candidate(Cluster.GROUP, same, SHORT);
        Candidacy lock = locks.candidate(Cluster.GROUP, same, SHORT)) {
      Fence other = otherRow.tryAcquire().orElseThrow();
      otherRow.release(other);
      Fence term = row.tryAcquire().orElseThrow();
      assertThat(otherRow.tryAcquire()).as("has led before, by the same name").isEmpty();
      assertThat(lock.tryAcquire()).isEmpty();
      assertThat(row.renew(term)).isTrue();
    }
  }

  @Test
  void longerLeaseOfTheHolderIsRespected() {
    Member member = cluster.member();
    try (LeaseRowElection rows = member.replica.leaseRow(LONG);
        Candidacy row = rows.candidate(Cluster.GROUP, MemberId.random(), LONG)) {
      long sent = System.nanoTime();
      Fence term = row.tryAcquire().orElseThrow();
      Fence fresh = Cluster.awaitTerm(member.candidacy);
      assertThat(Cluster.since(sent)).isGreaterThanOrEqualTo(LONG.leaseDuration());
      assertThat(fresh.isNewerThan(term)).isTrue();
    }
  }

  @Test
  void lockHolderEndsItsTermWhenAPoolerShowsUpInBetween() throws SQLException {
    TestDatabase direct = cluster.server;
    try (PgBouncer pooler = PgBouncer.start(direct, "transaction", 2)) {
      TestDatabase pooled = pooler.database();
      SchemaName schema = new SchemaName(direct.schema());
      Database database = new Database(new KeptPool(pooled::connect, 1), pooled::connect, schema);
      try (AdvisoryElection election =
              new AdvisoryElection(
                  new ElectionContext(database, schema, Notifications.none(), Ticker.system()),
                  SHORT);
          Candidacy candidacy = election.candidate(Cluster.GROUP, MemberId.random(), SHORT);
          Connection other = pooled.connect();
          Statement statement = other.createStatement()) {
        Fence term = candidacy.tryAcquire().orElseThrow();
        assertThat(candidacy.renew(term)).isTrue();
        other.setAutoCommit(false);
        statement.execute("select 1"); // in the server process that was used last
        assertThat(candidacy.renew(term)).isFalse();
        other.rollback();
        assertThat(candidacy.renew(term)).as("for good").isFalse();
      }
    }
  }
}
