package dev.monotick.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A role whose settings are all other than an engine needs them. */
final class SettingsRole implements AutoCloseable {

  /** What a session of this role begins with. */
  static final List<String> DEFAULTS =
      List.of("serializable", "off", "on", "11min", "12min", "13min");

  /** What {@link #DEFAULTS} are about. */
  static final String SETTINGS =
      "current_setting('transaction_isolation'), current_setting('synchronous_commit'),"
          + " current_setting('jit'), current_setting('statement_timeout'),"
          + " current_setting('lock_timeout'),"
          + " current_setting('idle_in_transaction_session_timeout')";

  private final TestDatabase server;
  private final TestDatabase database;

  SettingsRole(int major) {
    server = TestDatabase.on(major);
    String role = "r_" + server.schema();
    database = new TestDatabase(server.url(), role, "secret", server.schema());
    server.execute("create role " + role + " login superuser password 'secret'");
    for (String setting :
        List.of(
            "default_transaction_isolation = serializable",
            "synchronous_commit = off",
            "jit = on",
            "jit_above_cost = 1", // all that reads a table, and nothing that is a mere constant
            "statement_timeout = '11min'",
            "lock_timeout = '12min'",
            "idle_in_transaction_session_timeout = '13min'")) {
      server.execute("alter role " + role + " set " + setting);
    }
  }

  /** Returns the database as the role sees it. */
  TestDatabase database() {
    return database;
  }

  /** Runs a statement as the administrator. */
  void execute(String sql) {
    server.execute(sql);
  }

  /** Returns the texts in the columns of one row, read as the administrator. */
  List<String> read(String query) {
    try (Connection connection = server.connect()) {
      return row(connection, query);
    } catch (SQLException e) {
      throw new AssertionError(query, e);
    }
  }

  /** Returns the texts in the columns of one row. */
  static List<String> row(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      String[] texts = new String[row.getMetaData().getColumnCount()];
      for (int i = 0; i < texts.length; i++) {
        texts[i] = String.valueOf(row.getString(i + 1));
      }
      return List.of(texts);
    }
  }

  @Override
  public void close() {
    server.close();
    server.execute("drop owned by " + database.user() + " cascade");
    server.execute("drop role " + database.user());
  }
}
