package dev.monotick.postgres;

import dev.monotick.postgres.connection.AutoCommit;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.NetworkTimeout;
import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What the operator should know when a store starts: with which settings it works.
 *
 * @param engine as the store's own statements have them
 * @param defaults as connections begin
 */
record StartReport(Settings engine, Settings defaults) {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final String READ =
      "select current_setting('jit', true), current_setting('fsync', true),"
          + " current_setting('synchronous_commit', true),"
          + " current_setting('transaction_isolation', true)";

  /** Settings of the server, as it writes them; {@code unknown} where it has no such setting. */
  record Settings(String jit, String fsync, String synchronousCommit, String isolation) {}

  /** Reads both. */
  static StartReport read(Database database, ConnectionSource source) {
    Settings engine = database.once("reading settings", StartReport::settings);
    try (Connection connection = source.open()) {
      return new StartReport(
          engine,
          NetworkTimeout.during(
              connection, TIMEOUT, timed -> AutoCommit.during(timed, StartReport::defaults)));
    } catch (SQLException e) {
      throw SqlFailures.translate("reading settings", e);
    }
  }

  /** Sets nothing that is read. It reads no table, so that there is nothing to compile either. */
  private static Settings defaults(Connection connection) throws SQLException {
    return settings(SessionSettings.DEFAULT.timed(connection));
  }

  private static Settings settings(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(READ)) {
      row.next();
      return new Settings(text(row, 1), text(row, 2), text(row, 3), text(row, 4));
    }
  }

  private static String text(ResultSet row, int column) throws SQLException {
    String text = row.getString(column);
    return text == null ? "unknown" : text;
  }

  /** Returns the settings, for the line that tells of the start. */
  String line() {
    return "jit="
        + beside(engine.jit(), defaults.jit())
        + " fsync="
        + engine.fsync()
        + " synchronous_commit="
        + beside(engine.synchronousCommit(), defaults.synchronousCommit())
        + " isolation="
        + beside(engine.isolation(), defaults.isolation());
  }

  private static String beside(String own, String theirs) {
    String value = own.replace(' ', '-');
    return own.equals(theirs) ? value : value + "(default:" + theirs.replace(' ', '-') + ")";
  }

  /** Returns what can break the promise. */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (engine.fsync().equals("off")) {
      warnings.add(
          "fsync is off: if the server's machine crashes, the database can lose commits or be"
              + " destroyed, and ticks and jobs can then run twice or never; set fsync = on");
    }
    if (engine.synchronousCommit().equals("off")) {
      warnings.add(
          "synchronous_commit is off and durableCommits(false) keeps it: if the server crashes, what"
              + " was acknowledged moments before is lost, and ticks and jobs can run again");
    }
    return warnings;
  }
}
