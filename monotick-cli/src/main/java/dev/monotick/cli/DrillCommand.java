package dev.monotick.cli;

import dev.monotick.cli.Deployment.Lease;
import dev.monotick.cli.Deployment.TaskCursor;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A game day: takes leadership from whoever has it, and looks whether anything went wrong. */
@Command(
    name = "drill",
    description = {
      "A game day against a deployment of your own, best one for staging.",
      "",
      "Shows replicas and leader, has the leader lose its leadership (by --kick, or by whatever you do to it"
          + " yourself), waits until another term begins, and then verifies from the tables that no tick"
          + " doubled or got lost, nor any job. Ends with 0 if so, 1 if not, 2 if it was refused.",
      ""
    },
    mixinStandardHelpOptions = true)
final class DrillCommand implements Callable<Integer> {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final Duration LEADER_WITHIN = Duration.ofSeconds(15);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--url",
      required = true,
      description = "JDBC URL, such as jdbc:postgresql://host/database.")
  private String url = "";

  @Option(names = "--user", description = "Who connects; the password is read from PGPASSWORD.")
  private @Nullable String user;

  @Option(names = "--schema", description = "Schema of the tables; monotick if left out.")
  private String schema = "monotick";

  @Option(names = "--group", description = "Leadership group; default if left out.")
  private String group = "default";

  @Option(
      names = "--kick",
      description = "End the database session that holds the lease. Needs --yes.")
  private boolean kick;

  @Option(names = "--yes", description = "Really do it.")
  private boolean yes;

  @Option(
      names = "--wait",
      paramLabel = "S",
      description = "Seconds to wait for a takeover; 120 if left out.")
  private int wait = 120;

  @Option(
      names = "--quiet-after",
      paramLabel = "S",
      description = "Seconds to watch after it; 15 if left out.")
  private int awaitQuiet = 15;

  DrillCommand() {}

  @Override
  public Integer call() throws SQLException {
    CommandSpec known = spec;
    if (known == null) {
      throw new IllegalStateException("drill runs inside of the command line only");
    }
    if (kick && !yes) {
      throw new IllegalArgumentException(
          "--kick takes leadership away from a running replica; add --yes if that is what you want");
    }
    PrintWriter out = known.commandLine().getOut();
    try (Deployment deployment =
        Deployment.connect(url, user, System.getenv("PGPASSWORD"), schema)) {
      return drill(deployment, out);
    }
  }

  private int drill(Deployment deployment, PrintWriter out) throws SQLException {
    Lease before = leader(deployment);
    List<String> replicas = deployment.replicas();
    say(out, "replicas   " + String.join(", ", replicas));
    say(out, "leader     " + before.name() + ", epoch " + before.timeline() + "." + before.epoch());
    if (replicas.size() < 2) {
      say(out, "note: there is nobody else to take over; the same replica may lead again");
    }
    Instant from = deployment.now();
    List<TaskCursor> cursors = deployment.cursors();
    strike(deployment, before, out);
    Optional<Duration> takeover = awaitTakeover(deployment, before, out);
    if (takeover.isEmpty()) {
      say(out, "No other term began within " + wait + " s. WRONG, unless nothing was done to it.");
      return 1;
    }
    awaitQuiet(deployment, deployment.now());
    DrillReport report = DrillReport.of(deployment, cursors, from, takeover.get());
    report.print(out);
    return report.isGood() ? 0 : 1;
  }

  /**
   * Returns who leads: somebody whose beat goes on. Waits a while, for replicas may be starting.
   */
  private Lease leader(Deployment deployment) throws SQLException {
    Optional<Lease> first = deployment.lease(group);
    long deadline = System.nanoTime() + LEADER_WITHIN.toNanos();
    while (System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
      Optional<Lease> now = deployment.lease(group);
      if (first.isPresent()
          && now.isPresent()
          && !now.get().released()
          && now.get().heartbeat() != first.get().heartbeat()) {
        return now.get();
      }
      first = first.isPresent() ? first : now;
    }
    lease(deployment);
    throw new IllegalArgumentException(
        "nobody leads group "
            + group
            + ": its lease was not renewed for "
            + LEADER_WITHIN.toSeconds()
            + " s; start replicas that have a task of this group");
  }

  private Lease lease(Deployment deployment) throws SQLException {
    return deployment
        .lease(group)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "nobody has ever led group "
                        + group
                        + " here; name another by --group, or start replicas with a task of it"));
  }

  private void strike(Deployment deployment, Lease before, PrintWriter out) throws SQLException {
    if (!kick) {
      say(
          out,
          "Now do to "
              + before.name()
              + " what you want to be ready for: stop it, kill -9 it, kill -STOP it, cut its"
              + " network. Waiting up to "
              + wait
              + " s ...");
      return;
    }
    int session =
        deployment
            .leaseSession(group)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "no session holds the lease: leadership is by lease row here; leave --kick"
                            + " out, and stop or freeze "
                            + before.name()
                            + " yourself"));
    say(out, "ending the session that holds the lease, server process " + session);
    deployment.kick(session);
  }

  /** From the kick, or from the last sign of life of the old leader. */
  private Optional<Duration> awaitTakeover(Deployment deployment, Lease before, PrintWriter out)
      throws SQLException {
    long start = System.nanoTime();
    long since = start;
    long beat = before.heartbeat();
    while (System.nanoTime() - start < Duration.ofSeconds(wait).toNanos()) {
      Lease now = lease(deployment);
      if (now.isNewerThan(before) && !now.released()) {
        Duration took = Duration.ofNanos(System.nanoTime() - since);
        say(out, "leader     " + now.name() + ", epoch " + now.timeline() + "." + now.epoch());
        return Optional.of(took);
      }
      if (!kick && now.heartbeat() != beat) {
        beat = now.heartbeat();
        since = System.nanoTime();
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
    return Optional.empty();
  }

  /** Lets time pass, and then some if ticks of the stretch have no outcome yet. */
  private void awaitQuiet(Deployment deployment, Instant until) throws SQLException {
    long start = System.nanoTime();
    long least = Duration.ofSeconds(awaitQuiet).toNanos();
    while (System.nanoTime() - start < least
        || (deployment.open(until) > 0 && System.nanoTime() - start < 2 * least)) {
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
    }
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}
