package dev.monotick.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.SchedulerException;
import dev.monotick.error.StoreException;
import dev.monotick.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the settings do, and what they cost. */
@Timeout(60)
class SessionSettingsTest {

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);

  @ParameterizedTest
  @EnumSource(ConnectionProfile.class)
  void statementThatNobodyWaitsForAnyLongerIsAbortedByTheServer(ConnectionProfile profile)
      throws SQLException {
    String query = "select pg_sleep(600) /* " + test.schema() + " */";
    try (KeptPool pool = pool(profile, test)) {
      Database database = database(pool, profile);
      assertThatThrownBy(() -> database.once("sleeping", connection -> text(connection, query)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("57014");
      try (Connection connection = test.connect()) {
        assertThat(
                text(
                    connection,
                    "select count(*) from pg_stat_activity where state = 'active'"
                        + " and pid <> pg_backend_pid() and query like '%"
                        + test.schema()
                        + "%'"))
            .isEqualTo("0");
      }
      assertThat(read(database, "select 'on'")).isEqualTo("on");
    }
  }

  @ParameterizedTest
  @EnumSource(ConnectionProfile.class)
  void settingsCostNoRoundTrip(ConnectionProfile profile) throws SQLException {
    TestDatabase counted =
        new TestDatabase(
            test.url() + "?socketFactory=" + CountingSockets.class.getName(),
            test.user(),
            test.password(),
            test.schema());
    try (KeptPool pool = pool(profile, counted)) {
      Database database = database(pool, profile);
      assertThat(read(database, "select 'open'")).isEqualTo("open");
      for (int i = 0; i < 10; i++) { // prepared by name from the fifth time on
        int before = CountingSockets.ROUND_TRIPS.get();
        assertThat(read(database, "select 'a'")).isEqualTo("a");
        assertThat(CountingSockets.ROUND_TRIPS.get() - before).isEqualTo(1);
        before = CountingSockets.ROUND_TRIPS.get();
        String found = database.once("reading", connection -> byKey(database, connection));
        assertThat(found).isEqualTo("b");
        assertThat(CountingSockets.ROUND_TRIPS.get() - before).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"select 1 / 0", "select nothing from nowhere", "nonsense"})
  void connectionIsAsGoodAsBeforeAfterAStatementThatFailed(String failing) throws SQLException {
    try (KeptPool pool = pool(ConnectionProfile.SHARED, test)) {
      Database database = database(pool, ConnectionProfile.SHARED);
      String backend = read(database, "select pg_backend_pid()");
      assertThatThrownBy(() -> database.once("failing", connection -> text(connection, failing)))
          .isInstanceOf(SchedulerException.class);
      assertThat(read(database, "select pg_backend_pid()")).isEqualTo(backend);
      try (Connection connection = test.connect()) {
        assertThat(text(connection, "select state from pg_stat_activity where pid = " + backend))
            .as("no transaction is left open")
            .isEqualTo("idle");
      }
    }
  }

  private KeptPool pool(ConnectionProfile profile, TestDatabase database) {
    return new KeptPool(
        profile == ConnectionProfile.OWN
            ? SessionSettings.DEFAULT.applyTo(database::connect, profile)
            : database::connect,
        1);
  }

  private Database database(KeptPool pool, ConnectionProfile profile) {
    return new Database(
        pool,
        test::connect,
        new SchemaName(test.schema()),
        SessionSettings.DEFAULT,
        new Database.Profiles(profile, ConnectionProfile.OWN));
  }

  private static String read(Database database, String query) {
    return database.once("reading", connection -> text(connection, query));
  }

  private static String byKey(Database database, Connection connection) throws SQLException {
    try (PreparedStatement statement = database.prepareLimited(connection, "select ?::text")) {
      statement.setString(1, "b");
      try (ResultSet row = database.executeLimited(statement)) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
