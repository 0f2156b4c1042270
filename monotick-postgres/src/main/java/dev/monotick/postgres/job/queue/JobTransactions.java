package dev.monotick.postgres.job.queue;

import dev.monotick.error.FencedException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.FenceCheckedTransaction;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.postgres.job.row.CompletionColumns;
import dev.monotick.postgres.job.row.OutcomeCodes;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.work.SqlWork;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of handlers in which their runs succeed too. The end of the run is recorded last,
 * right before the commit: its row is what a rescuer would insert, so of both one commits, and the
 * other waits no longer than a commit takes.
 */
public final class JobTransactions {

  private final Database database;
  private final ClaimCalls exchanges;
  private final FenceCheckedTransaction transaction;
  private final String ended;
  private final String finish;
  private final String probe;

  public JobTransactions(Database database, ClaimCalls turns) {
    this.database = database;
    this.exchanges = turns;
    this.transaction = new FenceCheckedTransaction(database);
    ended =
        database.sql(
            "select replica, outcome from @job_attempt where job_id = ?::bigint"
                + " and run = ?::integer");
    finish =
        database.sql(
            "select @job_complete(?::uuid, row("
                + CompletionColumns.TYPES
                + ", ?::bigint[], null, null)::@job_completions)");
    probe =
        database.sql(
            "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
                + " values (?, now(), 0, ?, 0, 0) on conflict do nothing");
  }

  public void run(MemberId replica, Completion success, DataSource dataSource, SqlWork work)
      throws SQLException {
    transaction.run(dataSource, work, new RunProof(replica, success));
    JobRun run = success.job().run();
    exchanges.claims().of(replica).ended(run.id(), run.number());
  }

  /** That nobody has ended the run: its end is recorded in the transaction. */
  private final class RunProof implements FenceCheckedTransaction.Proof {

    private final MemberId replica;
    private final Completion success;
    private final JobRun run;

    RunProof(MemberId replica, Completion success) {
      this.replica = replica;
      this.success = success;
      this.run = success.job().run();
    }

    @Override
    public String subject() {
      return "job " + run.id();
    }

    @Override
    public void refuseEarly() {
      requireOpen(run);
    }

    @Override
    public void prove(Connection connection) throws SQLException {
      succeed(connection, replica, success);
    }

    @Override
    public void resolve(SQLException failure) throws SQLException {
      if (!SqlFailures.isConnectionFailure(failure) || !isCommitted(replica, run)) {
        throw failure;
      }
    }
  }

  /** Refuses early what would be refused anyway. */
  private void requireOpen(JobRun run) {
    if (database.once("looking at job " + run.id(), found -> completion(found, run)) != null) {
      throw refusal(run);
    }
  }

  /** Who ended a run, and how. */
  private record RecordedOutcome(@Nullable UUID replica, int outcome) {}

  private @Nullable RecordedOutcome completion(Connection connection, JobRun run)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ended)) {
      statement.setLong(1, run.id().value());
      statement.setInt(2, run.number());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new RecordedOutcome(row.getObject(1, UUID.class), row.getInt(2)) : null;
      }
    }
  }

  private void succeed(Connection connection, MemberId replica, Completion success)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(finish)) {
      statement.setObject(1, replica.value());
      exchanges.set(statement, 2, replica, success);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Array counted = row.getArray(1);
        if (counted != null) { // it had a row already, even if it says the same
          throw refusal(success.job().run());
        }
      }
    }
  }

  private static FencedException refusal(JobRun run) {
    return new FencedException(
        "run "
            + run.number()
            + " of job "
            + run.id()
            + " is no longer this replica's: it has ended; its transaction was rolled back");
  }

  /**
   * Says whether a commit happened that was not answered. To insert the row waits for whoever is
   * inserting it, so the answer does not change a moment later.
   */
  private boolean isCommitted(MemberId replica, JobRun run) {
    return database.once(
        "looking up the commit of job " + run.id(),
        connection -> {
          connection.setAutoCommit(false);
          try (PreparedStatement statement = connection.prepareStatement(probe)) {
            database.begin(connection);
            statement.setLong(1, run.id().value());
            statement.setInt(2, run.number());
            if (statement.executeUpdate() > 0) {
              return false;
            }
            RecordedOutcome end = completion(connection, run);
            return end != null
                && replica.value().equals(end.replica())
                && end.outcome() == OutcomeCodes.SUCCEEDED;
          } finally {
            connection.rollback();
            connection.setAutoCommit(true);
          }
        });
  }
}
