package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.monotick.error.StoreException;
import dev.monotick.job.JobStart;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * While an old snapshot keeps the dead rows of claimed jobs, a replica that starts or reconnects
 * does not walk over them.
 */
@Tag("thorough")
@Timeout(120)
final class ScanRestartTest {

  private static final int DEAD = 40_000;
  private static final int BATCH = 2_000;

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
    assertThat(fixture.wanting(10).with(started).jobs()).hasSize(10);
    assertThat(explained.buffersOfScans("job_ready"))
        .isPositive()
        .isLessThan(pages("job_ready") / 4);
  }

  @Test
  void aReplicaWhoseConnectionBrokeBeginsWhereItWas() {
    JobStore store = fixture.open(explained.source());
    claimMany();
    assertThat(fixture.wanting(1).with(store).jobs()).isEmpty();
    explained.breakNextTurn();
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> fixture.wanting(10).with(store));
    explained.clear();
    fixture.add(10);
    assertThat(fixture.wanting(10).with(store).jobs()).hasSize(10);
    assertThat(explained.buffersOfScans("job_ready"))
        .isPositive()
        .isLessThan(pages("job_ready") / 4);
  }

  @Test
  void jobsThatWereDueAreNotLookedAtAgainByAReplicaThatStarts() {
    JobDraft later =
        new JobDraft(
            JobFixture.LANE,
            1,
            new byte[0],
            new JobStart(Duration.ofMillis(1), Optional.empty()),
            JobFixture.RULES,
            Optional.empty(),
            Optional.empty(),
            Map.of());
    for (int made = 0; made < DEAD; made += BATCH) {
      fixture.jobs.enqueue(EnqueueRequest.of(Collections.nCopies(BATCH, later)));
    }
    int claimed = 0;
    while (claimed < DEAD) {
      List<ClaimedJob> some = fixture.claim(BATCH);
      fixture.finishAll(some);
      claimed += some.size();
    }
    String due = fixture.query("select @job_first_id(clock_timestamp())").get(0);
    while (fixture
        .query("select 1 from @job_scan where lane = 0 and claimed_to >= " + due)
        .isEmpty()) {
      assertThat(fixture.claim(1)).isEmpty();
    }
    JobStore started = fixture.open(explained.source());
    explained.clear();
    assertThat(fixture.wanting(10).with(started).jobs()).isEmpty();
    assertThat(explained.buffersOfScans("job_delayed"))
        .isPositive()
        .isLessThan(pages("job_delayed") / 4);
  }

  /** Claims and ends many jobs; their rows are dead, and stay. */
  private void claimMany() {
    String last = "0";
    for (int made = 0; made < DEAD; made += BATCH) {
      last = claimSome();
    }
    while (fixture.query("select 1 from @job_scan where claimed_to >= " + last).isEmpty()) {
      claimSome(); // positions are saved after claims, and not by them
    }
  }

  private String claimSome() {
    fixture.add(BATCH);
    List<ClaimedJob> claimed = fixture.claim(BATCH);
    fixture.finishAll(claimed);
    return String.valueOf(claimed.get(0).id().value());
  }

  /** Returns how many pages the dead rows have. */
  private long pages(String table) {
    return Long.parseLong(fixture.query("select pg_relation_size('@" + table + "') / 8192").get(0));
  }
}
