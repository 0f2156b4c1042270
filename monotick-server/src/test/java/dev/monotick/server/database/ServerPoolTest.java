package dev.monotick.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.server.support.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With which settings the control plane works, as a role that begins with all others. */
class ServerPoolTest {

  private static final String READ =
      "select concat_ws(' ', current_setting('jit'), current_setting('synchronous_commit'),"
          + " current_setting('statement_timeout'), current_setting('lock_timeout'),"
          + " current_setting('idle_in_transaction_session_timeout'),"
          + " current_setting('transaction_isolation'))";
  private static final String WANTED = "off on 30s 5s 30s read committed";

  private final EmbeddedPostgres server = TestDatabase.server();
  private final String role = "role_" + TestDatabase.newSchema();

  @BeforeEach
  void createRole() throws SQLException {
    execute(
        "create role " + role + " login superuser password 'secret'",
        "alter role " + role + " set jit = on",
        "alter role " + role + " set synchronous_commit = off",
        "alter role " + role + " set default_transaction_isolation = 'repeatable read'");
  }

  @AfterEach
  void dropRole() throws SQLException {
    execute("drop role " + role);
  }

  @Test
  void statementsAndTransactionsHaveTheSettings() {
    requireSettings(false);
  }

  @Test
  void statementsAndTransactionsHaveTheSettingsBehindAPooler() {
    requireSettings(true);
  }

  private void requireSettings(boolean behindAPooler) {
    try (ServerPool pool = pool(behindAPooler)) {
      Sql sql = new Sql(new TableNames(SchemaName.DEFAULT), pool, pool.transactionManager());
      assertThat(read(sql)).isEqualTo(WANTED);
      List<String> inside = sql.transaction(() -> List.of(read(sql), read(sql)));
      assertThat(inside).containsExactly(WANTED, WANTED);
      assertThat(read(sql)).as("after a transaction").isEqualTo(WANTED);
    }
  }

  @Test
  void behindAPoolerNothingStaysInTheSession() throws SQLException {
    try (ServerPool pool = pool(true)) {
      Sql sql = new Sql(new TableNames(SchemaName.DEFAULT), pool, pool.transactionManager());
      assertThat(read(sql)).isEqualTo(WANTED);
      String inside = sql.transaction(() -> read(sql));
      assertThat(inside).isEqualTo(WANTED);
      try (Connection connection = pool.plainConnection();
          Statement statement = connection.createStatement();
          var row = statement.executeQuery(READ)) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("on off 0 0 0 repeatable read");
      }
    }
  }

  private static String read(Sql sql) {
    return sql.of(READ).query(String.class).single();
  }

  private ServerPool pool(boolean behindAPooler) {
    ServerPool pool =
        new ServerPool(behindAPooler ? Optional.of("a pooler, say") : Optional.empty(), true);
    pool.setJdbcUrl(server.url());
    pool.setUsername(role);
    pool.setPassword("secret");
    pool.setMaximumPoolSize(1);
    return pool;
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(server.url(), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
