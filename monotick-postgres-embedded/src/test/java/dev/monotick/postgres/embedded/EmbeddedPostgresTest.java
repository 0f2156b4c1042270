package dev.monotick.postgres.embedded;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server is like, of the oldest and of the newest major version. */
class EmbeddedPostgresTest {

  private static final Map<Integer, EmbeddedPostgres> SERVERS = new HashMap<>();

  @TempDir(factory = OpenFolder.class)
  static Path folder;

  @BeforeAll
  static void start() {
    for (int major : new int[] {14, 18}) {
      SERVERS.put(major, builder(major).start());
    }
  }

  @AfterAll
  static void stop() {
    SERVERS.values().forEach(EmbeddedPostgres::close);
  }

  private static EmbeddedPostgresBuilder builder(int major) {
    return EmbeddedPostgres.builder()
        .folder(folder.resolve("it's (a) folder & " + major))
        .major(major)
        .setting("max_connections", "33")
        .setting("search_path", "it's, \"quoted\"");
  }

  private static EmbeddedPostgres server(int major) {
    return requireNonNull(SERVERS.get(major));
  }

  private static String show(int major, String parameter) throws SQLException {
    return Sql.value(server(major), "show " + parameter);
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void isOfTheMajorVersionThatWasAskedFor(int major) throws SQLException {
    assertThat(show(major, "server_version")).startsWith(major + ".");
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void isDurable(int major) throws SQLException {
    assertThat(show(major, "fsync")).isEqualTo("on");
    assertThat(show(major, "synchronous_commit")).isEqualTo("on");
    assertThat(show(major, "full_page_writes")).isEqualTo("on");
    assertThat(show(major, "data_checksums")).isEqualTo("on");
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void staysDurableWhateverIsSetForTheServerAsAWhole(int major) throws SQLException {
    EmbeddedPostgres server = server(major);
    Sql.execute(server, "alter system set fsync = off");
    Sql.execute(server, "select pg_reload_conf()");
    assertThat(Sql.value(server, "select setting from pg_settings where name = 'fsync'"))
        .isEqualTo("on");
    Sql.execute(server, "alter system reset fsync");
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void isReachedByLoopbackAndPasswordOnly(int major) throws SQLException {
    EmbeddedPostgres server = server(major);
    assertThat(show(major, "listen_addresses")).isEqualTo("127.0.0.1");
    assertThat(show(major, "unix_socket_directories")).isEmpty();
    assertThat(
            Sql.rows(
                server,
                "select type || ' ' || address || '/' || netmask || ' ' || auth_method"
                    + " from pg_hba_file_rules"))
        .isNotEmpty()
        .allMatch("host 127.0.0.1/255.255.255.255 scram-sha-256"::equals);
    assertThat(Sql.value(server, "select rolpassword from pg_authid where rolname = 'postgres'"))
        .startsWith("SCRAM-SHA-256$1:"); // its random bits need no rounds
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void refusesAWrongPassword(int major) {
    EmbeddedPostgres server = server(major);
    for (String wrong : new String[] {"wrong", "postgres", server.password() + "x"}) {
      assertThatThrownBy(() -> Sql.connect(server.url(), server.user(), wrong).close())
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password authentication failed");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void speaksUtf8InTheLocaleCAndInUtc(int major) throws SQLException {
    EmbeddedPostgres server = server(major);
    assertThat(show(major, "server_encoding")).isEqualTo("UTF8");
    assertThat(Sql.value(server, "select datcollate from pg_database where datname = 'postgres'"))
        .isEqualTo("C");
    assertThat(Sql.value(server, "select reset_val from pg_settings where name = 'log_timezone'"))
        .isIn("UTC", "Etc/UTC");
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void hasTheSettingsThatWereAskedFor(int major) throws SQLException {
    assertThat(show(major, "max_connections")).isEqualTo("33");
    assertThat(show(major, "search_path")).isEqualTo("it's, \"quoted\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void keepsItsFolderClosedToOthers(int major) throws Exception {
    Path server = folder.resolve("it's (a) folder & " + major);
    assertThat((Integer) Files.getAttribute(server, "unix:mode") & 07).isZero();
    assertThat((Integer) Files.getAttribute(server.resolve("connection.conf"), "unix:mode") & 077)
        .isZero();
    assertThat((Integer) Files.getAttribute(server.resolve("server.log"), "unix:mode") & 077)
        .isZero();
  }

  @Test
  void aSecondHandleOfThisProcessSharesTheServer() throws SQLException {
    EmbeddedPostgres first = server(18);
    try (EmbeddedPostgres second = builder(18).start()) {
      assertThat(second.isAttached()).isTrue();
      assertThat(second.url()).isEqualTo(first.url());
      assertThat(second.password()).isEqualTo(first.password());
    }
    assertThat(first.isAttached()).isFalse();
    assertThat(first.isRunning()).isTrue();
    assertThat(show(18, "fsync")).isEqualTo("on");
  }

  @Test
  void aHandleCanBeClosedTwice() {
    EmbeddedPostgres second = builder(18).start();
    second.close();
    second.close();
    assertThat(second.isRunning()).isFalse();
    assertThat(server(18).isRunning()).isTrue();
    assertThatThrownBy(second::ensureRunning).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesOtherSettingsWhileItIsInUse() {
    EmbeddedPostgresBuilder other = builder(18).setting("max_connections", "44");
    assertThatThrownBy(other::start)
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("in use and was started without max_connections=44");
    EmbeddedPostgresBuilder otherPort = builder(18).port(Ports.anyFree());
    assertThatThrownBy(otherPort::start).hasMessageContaining("was started without port=");
    assertThat(server(18).isRunning()).isTrue();
  }
}
