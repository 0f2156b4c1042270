package dev.monotick.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.chaos.check.CheckScope;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.cluster.ReplicaEnvironment;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.ChildProcess;
import dev.monotick.chaos.process.ClockShim;
import dev.monotick.chaos.process.JavaProgram;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.TaskWorkload;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clock by which "due" is judged, the database server's, is set while everything runs. */
@Tag("thorough")
@Timeout(120)
class ServerClockTest {

  private static final String CLOCK = "server";

  @Test
  void aServerClockSetBackRunsNoTickTwiceAndOneSetAheadLeavesNoneOut() {
    Path folder = Run.folder("server_clock");
    ClockShim clocks = ClockShim.build(folder);
    assumeTrue(clocks.movesAnyProcess(), "there is no C compiler (cc) to move a server's clock by");
    try (ShiftedServer server = new ShiftedServer(folder, clocks);
        Run run =
            new Run(
                "server_clock",
                Flavour.ADVISORY,
                server,
                folder,
                place -> ReplicaEnvironment.plain())) {
      run.steady();

      clocks.set(CLOCK, Duration.ofHours(-1));
      int back = run.journal().mark();
      Waiting.let(Run.TIMING.leaseDuration().multipliedBy(2));
      // The hour that comes again was accounted for before: what was on its way may end, no more.
      assertThat(effects(run, back, TaskWorkload.LEADER)).isLessThan(5);

      clocks.set(CLOCK, Duration.ZERO);
      Findings again = run.settleAndCheck(CheckScope.ofTasks().withServerClockSet());
      assertThat(again.violations()).as(again.toString()).isEmpty();

      clocks.set(CLOCK, Duration.ofHours(1));
      Findings ahead = run.settleAndCheck(CheckScope.ofTasks().withServerClockSet());
      assertThat(ahead.violations()).as(ahead.toString()).isEmpty();
      assertThat(ahead.outcomes("MISSED")).isGreaterThan(3 * 17_000);
    }
  }

  private static long effects(Run run, int mark, String task) {
    return run.journal().since(mark).stream()
        .filter(entry -> entry.is("effect") && entry.event().has("task", task))
        .count();
  }

  /** A server whose clock is moved, and nobody else's. */
  private static final class ShiftedServer implements DatabaseServer {

    private final ChildProcess process;
    private final HistoryEvent listening;

    ShiftedServer(Path folder, ClockShim clocks) {
      Journal journal = new Journal();
      process =
          ChildProcess.start(
              new JavaProgram(
                  CLOCK,
                  ServerProcess.class,
                  List.of(folder.resolve("server").toString()),
                  clocks.environment(CLOCK),
                  List.of(),
                  folder.resolve("server.err")),
              line -> journal.add(CLOCK, HistoryEvent.parse(line)));
      listening = journal.await("server", Run.PATIENCE, 0, entry -> entry.is("listening")).event();
    }

    @Override
    public InetSocketAddress address() {
      return new InetSocketAddress(
          InetAddress.getLoopbackAddress(), Integer.parseInt(listening.get("port")));
    }

    @Override
    public String user() {
      return listening.get("user");
    }

    @Override
    public String password() {
      return listening.get("password");
    }

    @Override
    public void close() {
      process.send("stop");
      process.awaitExit(Run.PATIENCE);
    }
  }
}
