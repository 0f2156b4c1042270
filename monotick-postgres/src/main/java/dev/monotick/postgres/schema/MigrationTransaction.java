package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SecretMask;
import dev.monotick.postgres.connection.SqlFunction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction that leaves no trace in its session, which may be a pooler's or the
 * application's: all limits are set for the transaction only. Nothing in it is prepared, not even
 * the commit, as the driver's own is: what is prepared has a name on the server, and a pooler gives
 * the server connection to others next, who use the same names.
 *
 * @param lockTimeout how long a statement waits for a lock
 * @param statementTimeout how long a statement takes altogether
 */
record MigrationTransaction(Duration lockTimeout, Duration statementTimeout) {

  private static final Logger log = LoggerFactory.getLogger(MigrationTransaction.class);

  /** How much later than the server, which gives up by itself, we stop waiting for its answer. */
  private static final Duration NETWORK_GRACE = Duration.ofSeconds(10);

  /** Does something in a transaction on a new connection, at read committed. */
  <T> T run(ConnectionSource source, SqlFunction<T> work) throws SQLException {
    try (Connection connection = open(source)) {
      boolean autoCommit = connection.getAutoCommit();
      int networkTimeout = connection.getNetworkTimeout();
      connection.setNetworkTimeout(
          Runnable::run, (int) statementTimeout.plus(NETWORK_GRACE).toMillis());
      connection.setAutoCommit(true); // so that the driver leaves it to us
      try {
        execute(connection, begin());
        T result = work.apply(connection);
        execute(connection, "commit");
        return result;
      } catch (SQLException | RuntimeException | Error e) {
        rollback(connection, e);
        throw e;
      } finally {
        restore(connection, autoCommit, networkTimeout);
      }
    }
  }

  /** A failure to connect may quote a URL, and with it a password. */
  private static Connection open(ConnectionSource source) throws SQLException {
    try {
      return source.open();
    } catch (SQLException e) {
      throw SecretMask.scrub(e);
    }
  }

  /** Runs one or several statements. */
  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false); // braces in SQL are the server's business
      statement.execute(sql);
    }
  }

  /**
   * The isolation level is named, since the default may be another one, and whoever waited for a
   * lock must see what its holder committed. The driver's own setter would change the session.
   */
  private String begin() {
    return "begin isolation level read committed;"
        + " set local lock_timeout = "
        + lockTimeout.toMillis()
        + "; set local statement_timeout = "
        + statementTimeout.toMillis()
        + "; set local jit = off"
        // A process that froze in the middle keeps the others waiting no longer than this.
        + "; set local idle_in_transaction_session_timeout = 30000";
  }

  private static void rollback(Connection connection, Throwable failure) {
    try {
      execute(connection, "rollback");
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static void restore(Connection connection, boolean autoCommit, int networkTimeout) {
    try {
      connection.setAutoCommit(autoCommit);
      connection.setNetworkTimeout(Runnable::run, networkTimeout);
    } catch (SQLException e) {
      log.debug("a broken connection is left to its pool", e);
    }
  }
}
