package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long answers are waited for, on connections that others use next. */
public final class NetworkTimeout {

  private static final Logger log = LoggerFactory.getLogger(NetworkTimeout.class);

  private NetworkTimeout() {}

  /**
   * Does something with a connection, each answer to which may take that long, and leaves it as it
   * was: not every pool undoes what was set, and the application's queries may take longer.
   */
  public static <T extends @Nullable Object> T during(
      Connection connection, Duration timeout, SqlFunction<T> work) throws SQLException {
    int before = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
    try {
      return work.apply(connection);
    } finally {
      restore(connection, before);
    }
  }

  private static void restore(Connection connection, int millis) {
    try {
      connection.setNetworkTimeout(Runnable::run, millis);
    } catch (SQLException e) {
      log.debug("a broken connection is left to its pool", e);
    }
  }
}
