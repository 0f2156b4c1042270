package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.store.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Issue 18, item 3: while an old snapshot keeps the dead rows of claimed jobs, a replica that starts
 * or reconnects does not walk over them.
 */
@Tag("thorough")
@Timeout(120)
final class ScanRestartTest {

  private static final int DEAD = 20_000;

  /** Far fewer than there are dead rows. */
  private static final long FEW = DEAD / 10;

  private final JobFixture fixture = new JobFixture();
  private final ExplainedStatements explained = new ExplainedStatements(fixture.database);
  private final Connection holder = hold();

  /** Keeps all rows that die from now on. */
  private Connection hold() {
    try {
      Connection connection = fixture.database.connect();
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThat(fixture.query(connection, "select count(*) from @job_ready")).containsExactly("0");
      return connection;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() throws SQLException {
    holder.close();
    fixture.close();
  }

  @Test
  void aReplicaThatStartsBeginsWhereOthersWere() {
    claimMany();
    JobStore started = fixture.open(explained.source());
    explained.clear();
    fixture.add(10);
    assertThat(started.turn(fixture.wanting(10)).jobs()).hasSize(10);
    assertThat(explained.buffersOfReadyScans()).isPositive().isLessThan(FEW);
  }

  @Test
  void aReplicaWhoseConnectionBrokeBeginsWhereItWas() {
    JobStore store = fixture.open(explained.source());
    claimMany();
    assertThat(store.turn(fixture.wanting(1)).jobs()).isEmpty();
    fixture.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
            + " and backend_xmin is null and query like '%@job_turn%'");
    fixture.add(10);
    int claimed = 0;
    while (claimed == 0) { // a cut is found out by a failure
      explained.clear();
      try {
        claimed = store.turn(fixture.wanting(10)).jobs().size();
      } catch (dev.monotick.store.StoreException e) {
        assertThat(e).isNotNull();
      }
    }
    assertThat(claimed).isEqualTo(10);
    assertThat(explained.buffersOfReadyScans()).isPositive().isLessThan(FEW);
  }

  /** Claims and ends many jobs; their rows are dead, and stay. */
  private void claimMany() {
    for (int made = 0; made < DEAD; made += 2_000) {
      fixture.add(2_000);
      fixture.finishAll(fixture.claim(2_000));
    }
  }
}
