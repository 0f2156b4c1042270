package dev.monotick.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.chaos.check.CheckScope;
import dev.monotick.chaos.check.Checker;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.JavaProgram;
import dev.monotick.chaos.replica.TaskWorkload;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The same fault, sink and checker, without what Monotick adds: the check must fail. Otherwise the
 * other tests would prove nothing.
 */
@Tag("thorough")
@Timeout(60)
class UnfencedControlTest {

  private static final String A = "a";
  private static final String B = "b";

  @Test
  void aLeaderWithoutLedgerAndFenceHasEffectsTwice() throws SQLException {
    DatabaseServer server = Servers.shared();
    Path folder = Run.folder("control");
    Journal journal = new Journal();
    try (Connection connection = server.connect()) {
      NaiveReplica.createTables(connection);
    }
    try (Sink sink = new Sink(folder, journal);
        ChildProcess a = start(A, server, sink, folder, journal);
        ChildProcess b = start(B, server, sink, folder, journal)) {
      journal.await("effect", Run.PATIENCE, 0, entry -> entry.is("effect"));
      int mark = journal.mark();
      sink.hold(TaskWorkload.LEADER);
      HistoryEvent held = sink.awaitHeld(TaskWorkload.LEADER, mark, Run.PATIENCE);
      ChildProcess leader = held.has("replica", A) ? a : b;

      leader.pause();
      sink.release(TaskWorkload.LEADER);
      Predicate<Journal.Entry> same =
          entry -> entry.is("effect") && entry.event().has("nominal", held.get("nominal"));
      journal.await("takeover", Run.PATIENCE, mark, same);
      leader.resume();
      journal.await(
          "late effect",
          Run.PATIENCE,
          mark,
          same.and(entry -> entry.event().has("replica", held.get("replica"))));

      Findings findings =
          Checker.check(CheckScope.ofTasks(), journal.all(), sink.effects(), List.of(), null);
      assertThat(findings.duplicates()).isPositive();
      assertThat(findings.violations())
          .anyMatch(violation -> violation.contains(held.get("nominal")));
    }
  }

  private static ChildProcess start(
      String name, DatabaseServer server, Sink sink, Path folder, Journal journal) {
    String url =
        server.url("127.0.0.1", server.address().getPort())
            + "?user="
            + server.user()
            + "&password="
            + server.password();
    int mark = journal.mark();
    ChildProcess process =
        ChildProcess.start(
            JavaProgram.of(
                name,
                NaiveReplica.class,
                List.of(name, url, Integer.toString(sink.port())),
                folder.resolve(name + ".err")),
            line -> journal.add(name, HistoryEvent.parse(line)));
    journal.await("start of " + name, Run.PATIENCE, mark, entry -> entry.is("started"));
    return process;
  }
}
