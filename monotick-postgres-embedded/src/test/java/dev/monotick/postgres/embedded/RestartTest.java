package dev.monotick.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server keeps when it is stopped, and when it is killed. */
@Tag("thorough")
@Timeout(120)
class RestartTest {

  @TempDir(factory = OpenFolder.class)
  Path parent;

  private ServerFolder folder() {
    return new ServerFolder(parent.resolve("server"));
  }

  /** Only what is said of the oldest major version too begins with a folder of its own. */
  private EmbeddedPostgresBuilder initialised() throws IOException {
    Initialised.copyTo(folder().path());
    return builder(18);
  }

  private EmbeddedPostgresBuilder builder(int major) {
    return EmbeddedPostgres.builder().folder(folder().path()).major(major);
  }

  private Postmaster postmaster() throws Exception {
    return Postmaster.read(folder()).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void keepsDataPortAndPassword(int major) throws Exception {
    EmbeddedPostgres first = builder(major).start();
    Sql.execute(first, "create table kept as select 7 as seven");
    Postmaster before = postmaster();
    first.close();
    assertThat(Processes.isAlive(before.pid())).isFalse();
    assertThat(first.isRunning()).isFalse();

    try (EmbeddedPostgres second = builder(major).setting("max_connections", "22").start()) {
      assertThat(second.isAttached()).isFalse();
      assertThat(second.url()).isEqualTo(first.url());
      assertThat(second.password()).isEqualTo(first.password());
      assertThat(Sql.value(second, "select seven from kept")).isEqualTo("7");
      assertThat(Sql.value(second, "show max_connections")).isEqualTo("22");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void recoversWhatWasCommittedAfterItsFirstProcessWasKilled(int major) throws Exception {
    try (EmbeddedPostgres server = builder(major).start()) {
      Sql.execute(server, "create table kept (id int)");
      Sql.execute(server, "insert into kept select generate_series(1, 1000)");
      try (Connection open = Sql.connect(server);
          Statement statement = open.createStatement()) {
        open.setAutoCommit(false);
        statement.execute("insert into kept values (1001)");

        Postmaster killed = postmaster();
        kill(killed.pid());
        assertThat(Polling.await(30, () -> !server.isRunning())).isTrue();

        server.ensureRunning();
        assertThat(server.isRunning()).isTrue();
        assertThat(postmaster().pid()).isNotEqualTo(killed.pid());
      }
      assertThat(Sql.value(server, "select count(*) from kept")).isEqualTo("1000");
      assertThat(Files.readString(server.log())).contains("was not properly shut down");
      server.ensureRunning(); // runs already
      assertThat(Sql.value(server, "select count(*) from kept")).isEqualTo("1000");
    }
  }

  /** A busy process does not notice that its server is gone, and would stop the next one. */
  @Test
  void killsProcessesThatAKilledServerHasLeft() throws Exception {
    try (EmbeddedPostgres server = initialised().start();
        Connection busy = Sql.connect(server);
        Connection observer = Sql.connect(server);
        Statement query = busy.createStatement();
        Statement observation = observer.createStatement()) {
      Sql.execute(server, "create table kept as select 1 as one");
      long backend = Long.parseLong(first(query, "select pg_backend_pid()"));
      Thread runner =
          new Thread(
              () -> {
                try {
                  query.execute("select count(*) from generate_series(1, 1000000000000) i");
                } catch (SQLException e) {
                  // its server was killed
                }
              });
      runner.start();
      String isBusy =
          "select count(*) from pg_stat_activity where state = 'active' and pid = " + backend;
      assertThat(Polling.await(30, () -> first(observation, isBusy).equals("1"))).isTrue();
      kill(postmaster().pid());
      assertThat(Polling.await(30, () -> !server.isRunning())).isTrue();
      assertThat(Processes.isAlive(backend)).isTrue();

      server.ensureRunning();

      assertThat(Processes.isAlive(backend)).isFalse();
      assertThat(Sql.value(server, "select one from kept")).isEqualTo("1");
      runner.join();
    }
  }

  private static String first(Statement statement, String sql) {
    try (var result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The number of a killed server's process may by now be that of another of the same user. */
  @Test
  void startsAlthoughAnotherProcessHasGotTheNumberOfTheKilledServer() throws Exception {
    EmbeddedPostgresBuilder builder = initialised();
    List<String> sameUser = ServerUser.choose(folder(), ServerUser.isRoot()).command("cat");
    Process stranger = new ProcessBuilder(sameUser).start();
    try {
      assertThat(Polling.await(30, () -> Processes.commandLine(stranger.pid()).contains("cat")))
          .isTrue();
      pretendThatKilledServerWas(stranger.pid());
      try (EmbeddedPostgres server = builder.start()) {
        assertThat(server.isAttached()).isFalse();
        assertThat(Sql.value(server, "select 1")).isEqualTo("1");
      }
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  /** In a container there may be nobody who buries the dead: their numbers stay in use. */
  @Test
  void startsAlthoughTheKilledServerIsStillInTheListOfProcesses() throws Exception {
    EmbeddedPostgresBuilder builder = initialised();
    String leavesDead = "tail -f /dev/null & echo $!; exec cat";
    List<String> sameUser =
        ServerUser.choose(folder(), ServerUser.isRoot()).command("sh", "-c", leavesDead);
    Process careless = new ProcessBuilder(sameUser).start();
    try {
      long dead = Long.parseLong(careless.inputReader().readLine());
      List<String> parent = List.of("cat");
      assertThat(Polling.await(30, () -> Processes.commandLine(careless.pid()).equals(parent)))
          .isTrue();
      kill(dead);
      assertThat(Polling.await(30, () -> !Processes.isAlive(dead))).isTrue();
      assertThat(ProcessHandle.of(dead)).isPresent();
      pretendThatKilledServerWas(dead);
      try (EmbeddedPostgres server = builder.start()) {
        assertThat(Sql.value(server, "select 1")).isEqualTo("1");
      }
    } finally {
      careless.destroyForcibly();
    }
  }

  private void pretendThatKilledServerWas(long pid) throws Exception {
    Files.write(
        Postmaster.file(folder()),
        List.of(Long.toString(pid), folder().data().toString(), "1700000000", "20001", "", ""));
  }

  @Test
  void leavesNothingBehindWhenItsStartIsInterrupted() throws Exception {
    for (String progress : List.of("connection.conf", "server.log")) {
      FutureTask<EmbeddedPostgres> start = new FutureTask<>(() -> builder(18).start());
      Thread thread = new Thread(start);
      thread.start();
      assertThat(Polling.await(60, () -> Files.exists(folder().path().resolve(progress)))).isTrue();
      thread.interrupt();
      try {
        start.get().close(); // it was faster
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(EmbeddedPostgresException.class);
        assertThat(e).hasMessageContaining("interrupted");
      }
      assertThat(Postmaster.read(folder())).isEmpty();
    }
    builder(18).start().close();
  }

  @Test
  void saysThatItsStartWasInterrupted() {
    Thread.currentThread().interrupt();
    try {
      EmbeddedPostgresBuilder builder = builder(18).cache(parent.resolve("cache"));
      assertThatThrownBy(builder::start)
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("interrupted");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void canBeClosedByAThreadThatIsInterrupted() throws Exception {
    EmbeddedPostgres server = initialised().start();
    Postmaster postmaster = postmaster();
    Thread.currentThread().interrupt();
    server.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(postmaster.isAlive()).isFalse();
  }

  @Test
  void takesAnotherPortIfItsOwnIsTakenMeanwhile() throws Exception {
    EmbeddedPostgres first = initialised().start();
    first.close();
    try (var taken = new ServerSocket(first.port(), 1, InetAddress.getLoopbackAddress());
        EmbeddedPostgres second = builder(18).start()) {
      assertThat(second.port()).isNotEqualTo(taken.getLocalPort());
      assertThat(Sql.value(second, "select 1")).isEqualTo("1");
    }
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
  }
}
