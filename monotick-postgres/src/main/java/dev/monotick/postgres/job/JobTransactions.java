package dev.monotick.postgres.job;

import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobRun;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.ProvenTransaction;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.FencedException;
import dev.monotick.task.SqlWork;
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
final class JobTransactions {

  private final Database database;
  private final JobTurns turns;
  private final ProvenTransaction transaction;
  private final String ended;
  private final String finish;
  private final String probe;

  JobTransactions(Database database, JobTurns turns) {
    this.database = database;
    this.turns = turns;
    this.transaction = new ProvenTransaction(database);
    ended =
        database.sql(
            "select replica, outcome from @job_attempt where job_id = ?::bigint"
                + " and run = ?::integer");
    finish =
        database.sql("select @job_finish_apart(?::uuid, " + FinishColumns.TYPES + ", ?::bigint[])");
    probe =
        database.sql(
            "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
                + " values (?, now(), 0, ?, 0, 0) on conflict do nothing");
  }

  void run(ReplicaId replica, JobFinish success, DataSource dataSource, SqlWork work)
      throws SQLException {
    transaction.run(dataSource, work, new RunProof(replica, success));
    JobRun run = success.job().run();
    turns.claims(replica).ended(run.id(), run.number());
  }

  /** That nobody has ended the run: its end is recorded in the transaction. */
  private final class RunProof implements ProvenTransaction.Proof {

    private final ReplicaId replica;
    private final JobFinish success;
    private final JobRun run;

    RunProof(ReplicaId replica, JobFinish success) {
      this.replica = replica;
      this.success = success;
      this.run = success.job().run();
    }

    @Override
    public String subject() {
      return "job " + run.id();
    }

    @Override
    public void look() {
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
    if (database.once("looking at job " + run.id(), found -> end(found, run)) != null) {
      throw refusal(run);
    }
  }

  /** Who ended a run, and how. */
  private record End(@Nullable UUID replica, int outcome) {}

  private @Nullable End end(Connection connection, JobRun run) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ended)) {
      statement.setLong(1, run.id().value());
      statement.setInt(2, run.number());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new End(row.getObject(1, UUID.class), row.getInt(2)) : null;
      }
    }
  }

  private void succeed(Connection connection, ReplicaId replica, JobFinish success)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(finish)) {
      statement.setObject(1, replica.value());
      turns.set(statement, 2, replica, success);
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
  private boolean isCommitted(ReplicaId replica, JobRun run) {
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
            End end = end(connection, run);
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
