package dev.monotick.postgres.leader;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** What the server is told about a session that holds a lease. */
final class LeaseSession {

  /**
   * In the order of the statement: name, idle in and outside a transaction, the three of keepalive,
   * unacknowledged data, statement, lock.
   */
  private static final String SETTINGS =
      "select set_config('application_name', ?, false),"
          + " set_config('idle_session_timeout', ?, false),"
          + " set_config('idle_in_transaction_session_timeout', ?, false),"
          + " set_config('tcp_keepalives_idle', ?, false),"
          + " set_config('tcp_keepalives_interval', '1', false),"
          + " set_config('tcp_keepalives_count', '3', false),"
          + " set_config('tcp_user_timeout', ?, false),"
          + " set_config('statement_timeout', ?, false),"
          + " set_config('lock_timeout', ?, false),"
          + " pg_backend_pid()";

  private static final int PROBES = 3; // one a second

  private LeaseSession() {}

  /** Prepares a new session and returns its server process. */
  static int prepare(Connection connection, Candidate candidate) throws SQLException {
    Duration lease = candidate.timing().leaseDuration();
    String leaseMillis = Long.toString(lease.toMillis());
    String timeoutMillis = Long.toString(candidate.timing().renewTimeout().toMillis());
    try (PreparedStatement settings = connection.prepareStatement(SETTINGS)) {
      settings.setString(1, "monotick lease " + candidate.group());
      settings.setString(2, leaseMillis);
      settings.setString(3, leaseMillis);
      settings.setString(4, Long.toString(keepalivesIdle(lease)));
      settings.setString(5, leaseMillis);
      settings.setString(6, timeoutMillis);
      settings.setString(7, timeoutMillis);
      try (ResultSet result = settings.executeQuery()) {
        result.next();
        return result.getInt(10);
      }
    }
  }

  /** Returns the seconds before the first probe, so that the last one is not lost before D. */
  private static long keepalivesIdle(Duration lease) {
    return Math.max(1, lease.plusMillis(999).toSeconds() - PROBES);
  }
}
