package dev.monotick.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.JavaProgram;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.leader.LeadershipMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that is stopped by a signal keeps its connections, and is a member until its lease is
 * over. Its replacement waits for that, and takes its place.
 */
@Tag("thorough")
@Timeout(120)
class FrozenNamesakeTest {

  private final DatabaseServer server = Servers.shared();
  private final String schema = "namesake_" + UUID.randomUUID().toString().substring(0, 8);
  private final Path folder = Run.folder(schema);
  private final Journal journal = new Journal();
  private final Deque<ChildProcess> processes = new ArrayDeque<>();

  @AfterEach
  void close() throws SQLException {
    processes.forEach(ChildProcess::close);
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("drop schema if exists " + schema + " cascade");
    }
  }

  @ParameterizedTest
  @CsvSource({"app-0, app-0, ELECTED", "app-0, app-1, SINGLE_REPLICA"})
  void frozenReplicaIsReplacedAfterItsLeaseAndStaysAway(
      String name, String newcomerName, LeadershipMode leadership) {
    ChildProcess frozen = start("first", name, leadership);
    ChildProcess newcomer = start("second", newcomerName, leadership);
    frozen.send("join");
    String first = answer("first").get("id");
    frozen.pause();
    newcomer.send("join"); // it runs already, so it asks long before the lease is over
    HistoryEvent joined = answer("second");
    assertThat(joined.kind()).as(joined.line()).isEqualTo("joined");
    assertThat(log("second")).contains("cannot join yet").contains(name + " (" + first + ")");
    assertThat(members()).containsExactly(joined.get("id"));
    frozen.resume();
    Waiting.until(
        "refusal of the replica that goes on",
        Run.PATIENCE,
        () -> log("first").contains("this replica may not come back"));
    assertThat(members()).containsExactly(joined.get("id"));
  }

  @Test
  void secondOfTwoLiveReplicasOfOneNameIsRefusedAndToldWhoTheFirstIs() {
    start("first", "app-0", LeadershipMode.ELECTED).send("join");
    String first = answer("first").get("id");
    start("second", "app-0", LeadershipMode.ELECTED).send("join");
    HistoryEvent refused = answer("second");
    assertThat(refused.kind()).as(refused.line()).isEqualTo("refused");
    assertThat(refused.get("because"))
        .contains("JoinRefusedException")
        .contains("app-0 (" + first + ")");
    assertThat(members()).containsExactly(first);
  }

  /** Starts a process, and waits until it is ready to join. */
  private ChildProcess start(String process, String name, LeadershipMode leadership) {
    JavaProgram program =
        JavaProgram.of(
            process,
            NamedReplica.class,
            List.of(
                server.url("127.0.0.1", server.address().getPort()),
                server.user(),
                server.password(),
                schema,
                name,
                leadership.name()),
            errors(process));
    ChildProcess child =
        ChildProcess.start(program, line -> journal.add(process, HistoryEvent.parse(line)));
    processes.add(child);
    await(process, Set.of("ready"));
    return child;
  }

  /** Waits until a process has joined, or was refused. */
  private HistoryEvent answer(String process) {
    return await(process, Set.of("joined", "refused"));
  }

  private HistoryEvent await(String process, Set<String> kinds) {
    return journal
        .await(
            kinds + " of " + process,
            Run.PATIENCE,
            0,
            entry -> entry.source().equals(process) && kinds.contains(entry.event().kind()))
        .event();
  }

  private String log(String process) {
    try {
      return Files.readString(errors(process));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path errors(String process) {
    return folder.resolve(process + ".err");
  }

  private List<String> members() {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select id from " + schema + ".replica where gone_at is null")) {
      List<String> ids = new ArrayList<>();
      while (row.next()) {
        ids.add(row.getString(1));
      }
      return ids;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
