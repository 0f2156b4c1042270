package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.SchedulerException;
import dev.monotick.error.StoreException;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.migration.SchemaException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
final class ServerCheckTest {

  private static final String PASSWORD = "hunter2";

  @ParameterizedTest
  @ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
  void aGoodServerIsDescribed(int major) {
    try (TestDatabase database = TestDatabase.on(major)) {
      ServerFacts facts = ServerCheck.of(database::connect).run();
      assertThat(facts.version() / 10000).isEqualTo(major);
      assertThat(facts.versionName()).startsWith(major + ".");
      assertThat(facts.role()).isEqualTo(database.user());
      assertThat(facts.database()).isEqualTo("postgres");
      assertThat(facts.isInRecovery()).isFalse();
      assertThat(facts.isReadOnly()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
  void unknownDatabaseAndReadOnlyRoleAreRefusedByARealServer(int major) {
    try (SchemaFixture fixture = new SchemaFixture(major)) {
      String url = fixture.database.url().replace("/postgres", "/no_such_database");
      refusal(url, fixture.database.user(), fixture.database.password())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("there is no such database")
          .hasMessageContaining("\"no_such_database\" does not exist");

      String role = fixture.role("reader");
      fixture.execute("alter role " + role + " set default_transaction_read_only = on");
      assertThatThrownBy(() -> ServerCheck.of(fixture.as(role)).run())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining(
              "transactions of role " + role + " in database postgres are read-only")
          .hasMessageEndingWith(
              "alter role \"" + role + "\" set default_transaction_read_only = off;");
      assertThatThrownBy(() -> Migrations.of(fixture.as(role), fixture.schema).migrate())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("is read-only; connect to the primary");

      fixture.execute("alter role " + role + " nologin");
      assertThatThrownBy(() -> ServerCheck.of(fixture.as(role)).run())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("the database refused the user")
          .hasMessageContaining("is not permitted to log in");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "28P01, password authentication failed for user \"u\", check user and password",
    "28000, no pg_hba.conf entry for host, and pg_hba.conf",
    "3D000, database \"db\" does not exist, 'check the URL, or create it'",
    "42501, permission denied for database \"db\", grant connect",
  })
  void whatSomebodyHasToRepairIsRefused(String state, String said, String remedy)
      throws IOException {
    try (FakeServer server = FakeServer.refusing(state, said)) {
      refusal(server.url(), "u", PASSWORD)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining(said)
          .hasMessageContaining(remedy);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "57P03, the database system is starting up, try again shortly",
    "57P03, the database system is shutting down, try again shortly",
    "57P03, the database system is not accepting connections, try again shortly",
    "53300, 'sorry, too many clients already', max_connections",
    "57P01, terminating connection due to administrator command, that the server runs",
  })
  void whatMayPassIsAFailureOfTheMoment(String state, String said, String remedy)
      throws IOException {
    try (FakeServer server = FakeServer.refusing(state, said)) {
      refusal(server.url(), "u", PASSWORD)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(said)
          .hasMessageContaining(remedy);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgres://localhost/db?password=" + PASSWORD,
        "localhost:5432/db?user=u&password=" + PASSWORD,
        "postgresql://u:" + PASSWORD + "@localhost/db",
        "jdbc:postgresql://localhost:port/db?password=" + PASSWORD,
      })
  void aMalformedUrlIsRefusedWithoutShowingThePassword(String url) {
    refusal(url, "u", PASSWORD)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("the URL of the database can't be read")
        .hasMessageContaining("write it like jdbc:postgresql://host:5432/database")
        .hasMessageContaining("***");
    Migrations migrations =
        Migrations.of(() -> DriverManager.getConnection(url, "u", PASSWORD), SchemaName.DEFAULT);
    assertThatThrownBy(migrations::migrate)
        .satisfies(e -> assertThat(printed(e)).doesNotContain(PASSWORD));
  }

  @Test
  void aWayToConnectThatTheServerDoesNotOfferIsRefused() throws IOException {
    try (FakeServer server = FakeServer.refusing("28P01", "not reached")) {
      refusal(server.url() + "?sslmode=require", "u", PASSWORD)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("The server does not support SSL")
          .hasMessageContaining("sslmode");
      refusal(server.url() + "?sslmode=nonsense", "u", PASSWORD)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("Invalid sslmode value");
    }
    try (FakeServer server = FakeServer.askingForPassword()) {
      String url = server.url() + "?user=u";
      assertThatThrownBy(() -> ServerCheck.of(() -> DriverManager.getConnection(url)).run())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("no password was provided")
          .hasMessageContaining("check user, password");
    }
  }

  @Test
  void anUnknownHostIsNamed() {
    refusal("jdbc:postgresql://no-such-host.invalid/db", "u", PASSWORD)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the host of the database is unknown")
        .hasMessageContaining("no-such-host.invalid");
  }

  @Test
  void aClosedPortIsNamed() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    refusal("jdbc:postgresql://127.0.0.1:" + port + "/db", "u", PASSWORD)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("no connection to the database")
        .hasMessageContaining("127.0.0.1:" + port + " refused");
  }

  @Test
  void aServerOfAnotherKindIsRecognised() throws IOException {
    try (FakeServer server = FakeServer.ofHttp()) {
      refusal(server.url(), "u", PASSWORD)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("no PostgreSQL server")
          .hasMessageContaining("check host and port");
    }
    try (FakeServer server = FakeServer.silent()) {
      refusal(server.url(), "u", PASSWORD).hasMessageContaining("check host and port");
    }
  }

  @Test
  void thePoolsFailureIsJudgedByTheDriversInsideIt() {
    SQLException inner = new SQLException("FATAL: password authentication failed", "28P01");
    SQLException outer =
        new SQLTransientConnectionException("pool-1 - request timed out after 30000ms", inner);
    assertThatThrownBy(
            () ->
                ServerCheck.of(
                        () -> {
                          throw outer;
                        })
                    .run())
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("refused the password")
        .hasCause(outer);
  }

  @Test
  void oldServersAndStandbysAreRefused() {
    assertThatThrownBy(new ServerFacts(130012, "13.12", false, false, "u", "d")::check)
        .isInstanceOf(SchemaException.class)
        .hasMessage("the server is PostgreSQL 13.12, and 14 is the oldest supported; upgrade it");
    assertThatThrownBy(new ServerFacts(180000, "18.0", true, true, "u", "d")::check)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("is a standby")
        .hasMessageContaining("targetServerType=primary");
    new ServerFacts(140000, "14.0", false, false, "u", "d").check();
  }

  /** Shown by a function of that name that comes first, and by a table. */
  @Test
  void productsThatLackWhatIsNeededAreRefusedByName() {
    try (TestDatabase database = TestDatabase.on(TestDatabase.NEWEST)) {
      String schema = database.schema();
      database.execute("create schema " + schema);
      database.execute(
          "create function "
              + schema
              + ".version() returns text language sql as"
              + " $$select 'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)'$$");
      String url = database.url() + "?currentSchema=" + schema + ",pg_catalog";
      refusal(url, database.user(), database.password())
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("the server is CockroachDB (CockroachDB CCL v24.1.0")
          .hasMessageContaining("use PostgreSQL 14 or newer");
    }
    assertThat(
            ServerProduct.isDsqlAddress(
                "jdbc:postgresql://abc.dsql.eu-west-1.on.aws:5432/postgres"))
        .isTrue();
    assertThat(ServerProduct.isDsqlAddress("jdbc:postgresql://dsql.example.com/db")).isFalse();
  }

  @Test
  void auroraDsqlIsRefusedByItsTables() throws SQLException {
    try (TestDatabase server = TestDatabase.on(TestDatabase.NEWEST);
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false); // nobody else sees the schema
      statement.execute("create schema sys create table iam_pg_role_mappings (arn text)");
      assertThatThrownBy(() -> ServerProduct.check(connection))
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("the server is Aurora DSQL");
      connection.rollback();
    }
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> refusal(
      String url, String user, String password) {
    return assertThatThrownBy(
            () -> ServerCheck.of(() -> DriverManager.getConnection(url, user, password)).run())
        .isInstanceOf(SchedulerException.class)
        .satisfies(e -> assertThat(printed(e)).doesNotContain(PASSWORD));
  }

  private static String printed(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
