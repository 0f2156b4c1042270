package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Autocommit on connections that others use next. */
public final class AutoCommit {

  private static final Logger log = LoggerFactory.getLogger(AutoCommit.class);

  private AutoCommit() {}

  /**
   * Does something in autocommit and leaves the connection as it was: a pool may lend connections
   * that are in a transaction from the first statement on.
   */
  public static <T extends @Nullable Object> T during(Connection connection, SqlFunction<T> work)
      throws SQLException {
    if (connection.getAutoCommit()) {
      return work.apply(connection);
    }
    connection.setAutoCommit(true);
    try {
      return work.apply(connection);
    } finally {
      set(connection, false);
    }
  }

  /** Sets it, on a connection that may be broken. */
  static void set(Connection connection, boolean wanted) {
    try {
      connection.setAutoCommit(wanted);
    } catch (SQLException e) {
      log.debug("a broken connection is left to its pool", e);
    }
  }
}
