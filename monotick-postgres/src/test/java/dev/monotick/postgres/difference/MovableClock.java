package dev.monotick.postgres.difference;

import dev.monotick.postgres.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * The clock of a server, as a test moves it. Functions named {@code now} and {@code
 * clock_timestamp} in a schema of their own hide those of the server from sessions that search this
 * schema first. Tables must be created in such a session too, because the defaults of columns keep
 * the function that was found then.
 */
final class MovableClock implements AutoCloseable {

  private final String url;
  private final Connection connection;
  private final PreparedStatement move;
  private final PreparedStatement makeDue;

  MovableClock(TestDatabase database, Instant start) {
    String schema = database.schema() + "_clock";
    database.execute(
        """
        create schema %1$s;
        create table %1$s.moment (at timestamptz not null) with (fillfactor = 10);
        insert into %1$s.moment values ('%2$s');
        create function %1$s.clock_timestamp() returns timestamptz language sql stable
          as 'select at from %1$s.moment';
        create function %1$s.now() returns timestamptz language sql stable
          as 'select at from %1$s.moment';
        """
            .formatted(schema, start));
    url =
        database.url()
            + (database.url().contains("?") ? "&" : "?")
            + "options="
            + URLEncoder.encode(
                "-c search_path=" + schema + ",pg_catalog -c synchronous_commit=off",
                StandardCharsets.UTF_8);
    try {
      connection = DriverManager.getConnection(url, database.user(), database.password());
      makeDue =
          connection.prepareStatement(
              "select " + database.schema() + ".job_promote_due('-infinity', 'infinity')");
      move = connection.prepareStatement("update " + schema + ".moment set at = ?");
    } catch (SQLException e) {
      throw new AssertionError("no connection for the clock", e);
    }
  }

  /** Returns the URL of sessions that see this clock. */
  String url() {
    return url;
  }

  void set(Instant at) {
    try {
      move.setObject(1, OffsetDateTime.ofInstant(at, ZoneOffset.UTC));
      move.executeUpdate();
    } catch (SQLException e) {
      throw new AssertionError("the clock cannot be moved", e);
    }
  }

  /** Makes jobs due and expires jobs, as a turn does where it is time to look. */
  void makeDue() {
    try {
      makeDue.executeQuery().close();
    } catch (SQLException e) {
      throw new AssertionError("jobs cannot be made due", e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new AssertionError("the clock cannot be closed", e);
    }
  }
}
