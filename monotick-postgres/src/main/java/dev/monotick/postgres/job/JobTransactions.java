package dev.monotick.postgres.job;

import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobRun;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.postgres.ledger.WorkConnection;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of handlers in which their runs succeed too. The end of the run is recorded last,
 * right before the commit: its row is what a rescuer would insert, so of both one commits, and the
 * other waits no longer than a commit takes.
 */
final class JobTransactions {

  private static final Logger log = LoggerFactory.getLogger(JobTransactions.class);

  private final Database database;
  private final JobTurns turns;
  private final String identity;
  private final String ended;
  private final String finish;
  private final String probe;
  private volatile @Nullable UUID store;

  JobTransactions(Database database, JobTurns turns) {
    this.database = database;
    this.turns = turns;
    identity = database.sql("select id from @store");
    ended =
        database.sql(
            "select replica, outcome from @job_attempt where job_id = ?::bigint"
                + " and run = ?::integer");
    finish = database.sql("select @job_finish(?::uuid, " + FinishColumns.TYPES + ")");
    probe =
        database.sql(
            "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
                + " values (?, now(), 0, ?, 0, 0) on conflict do nothing");
  }

  void run(ReplicaId replica, JobFinish success, DataSource dataSource, SqlWork work)
      throws SQLException {
    JobRun run = success.job().run();
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      requireSameStore(connection, run);
      requireOpen(run);
      connection.setAutoCommit(false);
      boolean committing = false;
      try {
        work.run(WorkConnection.of(connection));
        requireUnended(connection, run);
        succeed(connection, replica, success);
        committing = true;
        connection.commit();
      } catch (Throwable e) { // also what is not declared, or to restore would be to commit
        rollback(connection, e);
        if (!committing
            || !(e instanceof SQLException failure)
            || !SqlFailures.isConnectionFailure(failure)
            || !isCommitted(replica, run)) {
          throw e;
        }
      } finally {
        restore(connection, autoCommit);
      }
    }
    turns.claims(replica).ended(run.id(), run.number());
  }

  /** A row in another database fences nothing. */
  private void requireSameStore(Connection connection, JobRun run) throws SQLException {
    UUID own = store;
    if (own == null) {
      own = database.once("reading the store's identity", this::identity);
      store = own;
    }
    UUID theirs;
    try {
      theirs = identity(connection);
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      throw new IllegalArgumentException(
          "dataSource leads to a database without the store's tables ("
              + SqlFailures.describe(e)
              + "); give one that leads to the store's own database, under a role that may use its"
              + " schema",
          e);
    }
    if (!own.equals(theirs)) {
      throw new IllegalArgumentException(
          "dataSource leads to the store "
              + theirs
              + " instead of "
              + own
              + ", where job "
              + run.id()
              + " is; give one that leads to the same database");
    }
  }

  private UUID identity(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(identity);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, UUID.class);
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

  /** Work that committed has already had whatever it wrote after its last commit. */
  private static void requireUnended(Connection connection, JobRun run) throws SQLException {
    if (connection.isClosed() || connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the work of job "
              + run.id()
              + " ended its transaction by itself, so that it could not be fenced; leave commit,"
              + " rollback, close and setAutoCommit to the transaction");
    }
  }

  private void succeed(Connection connection, ReplicaId replica, JobFinish success)
      throws SQLException {
    Database.limitIdleness(connection); // whoever freezes from here on loses the row
    try (PreparedStatement statement = connection.prepareStatement(finish)) {
      statement.setObject(1, replica.value());
      turns.columns(replica, success).set(statement, 2);
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

  private static void rollback(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static void restore(Connection connection, boolean autoCommit) {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(autoCommit);
      }
    } catch (SQLException e) {
      log.debug("a broken connection is left to its pool", e); // what was done is done
    }
  }
}
