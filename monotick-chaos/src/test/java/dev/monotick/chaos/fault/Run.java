package dev.monotick.chaos.fault;

import dev.monotick.chaos.check.CheckScope;
import dev.monotick.chaos.check.Checker;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.check.LedgerRow;
import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ClusterSettings;
import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.cluster.ReplicaEnvironment;
import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.ExactRows;
import dev.monotick.chaos.replica.ReplicaTraits;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.LeaseTiming;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Three replicas with one task of each mode, a sink, and all that was written down. */
final class Run implements AutoCloseable {

  /** D, H, R and M: the shape of the defaults, in less than a third of the time. */
  static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofMillis(1700),
          Duration.ofMillis(400),
          Duration.ofMillis(400),
          Duration.ofMillis(300));

  /** How long anything may take that must happen, on a machine with other things to do. */
  static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final Set<String> IN_LEDGER =
      Set.of(TaskWorkload.LEADER, TaskWorkload.ONE, TaskWorkload.AGAIN, TaskWorkload.EXACT);

  static final String[] PLACES = {"r1", "r2", "r3"};

  private final DatabaseServer server;
  private final Path folder;
  private final Journal journal = new Journal();
  private final Sink sink;
  private final ReplicaCluster cluster;

  Run(
      String name,
      Flavour flavour,
      DatabaseServer server,
      Path folder,
      Function<String, ReplicaEnvironment> surroundings) {
    this.server = server;
    this.folder = folder;
    this.sink = new Sink(folder, journal);
    this.cluster =
        new ReplicaCluster(
            new ClusterSettings(
                name,
                flavour.leadership,
                flavour.portable,
                Optional.of(TIMING),
                Optional.of(TIMING),
                TaskWorkload.ALL,
                ReplicaTraits.TASKS),
            server,
            sink,
            journal,
            folder,
            surroundings);
    cluster.start(PLACES);
  }

  /** Returns an empty folder for what a run writes down, kept for whoever wants to know more. */
  static Path folder(String name) {
    Path folder = Path.of("target", "chaos", name).toAbsolutePath();
    try {
      if (Files.exists(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ReplicaCluster cluster() {
    return cluster;
  }

  Sink sink() {
    return sink;
  }

  Journal journal() {
    return journal;
  }

  /** Heals everything, and waits until a leader and all replicas have had effects since. */
  ClusterMember steady() {
    cluster.heal(PLACES);
    int mark = journal.mark();
    awaitEffect(TaskWorkload.LEADER, mark);
    awaitEffect(TaskWorkload.ONE, mark);
    awaitEffect(TaskWorkload.AGAIN, mark);
    for (ClusterMember member : cluster.members()) {
      journal.await(
          "tick on " + member.source(),
          PATIENCE,
          mark,
          entry -> entry.is("ended") && entry.source().equals(member.source()));
    }
    return cluster.awaitLeader(PATIENCE);
  }

  /** Waits until an effect of a task has taken place. */
  Journal.Entry awaitEffect(String task, int mark) {
    return awaitEffect(task, mark, entry -> true);
  }

  Journal.Entry awaitEffect(String task, int mark, Predicate<Journal.Entry> which) {
    return journal.await(
        "effect of " + task,
        PATIENCE,
        mark,
        entry ->
            entry.is("effect")
                && entry.event().has("task", task)
                && entry.event().has("verdict", "ACCEPTED")
                && which.test(entry));
  }

  /** Waits until the leader's task had an effect in a term, or in a later one. */
  void awaitEffectUnder(Journal.Entry gained, int mark) {
    Fence fence = SinkEffect.fence(gained.event().get("fence"));
    awaitEffect(
        TaskWorkload.LEADER,
        mark,
        entry -> SinkEffect.fence(entry.event().get("fence")).compareTo(fence) >= 0);
  }

  /** Heals everything, waits until every tick so far has its outcome, and checks the whole run. */
  Findings settleAndCheck() {
    return settleAndCheck(CheckScope.ofTasks());
  }

  Findings settleAndCheck(CheckScope scope) {
    steady();
    Instant until = databaseTime();
    Waiting.until(
        "outcome of every tick up to " + until,
        PATIENCE,
        () -> {
          List<LedgerRow> rows = ledger();
          return IN_LEDGER.stream().allMatch(task -> isSettled(task, until, rows));
        });
    // What it says of ticks up to then will not change any more, while later ones go on.
    Findings findings = Checker.check(scope, journal.all(), effects(), ledger(), until);
    writeDown(findings);
    return findings;
  }

  private static boolean isSettled(String task, Instant until, List<LedgerRow> rows) {
    List<LedgerRow> own = rows.stream().filter(row -> row.task().equals(task)).toList();
    return !own.isEmpty()
        && own.get(own.size() - 1).last().isAfter(until)
        && own.stream()
            .filter(row -> !row.first().isAfter(until))
            .allMatch(row -> "ENDED".equals(row.status()));
  }

  /** Returns what took place at the sink, and in the database. */
  private List<HistoryEvent> effects() {
    List<HistoryEvent> effects = new ArrayList<>(sink.effects());
    for (ExactRows.Row row : exactRows()) {
      effects.add(row.effect(cluster.settings().schema()));
    }
    return effects;
  }

  /** Returns what was written into the database together with ticks. */
  List<ExactRows.Row> exactRows() {
    try (Connection connection = server.connect()) {
      return new ExactRows(cluster.settings().schema()).read(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the rows cannot be read", e);
    }
  }

  List<LedgerRow> ledger() {
    try (Connection connection = server.connect()) {
      return LedgerRow.read(connection, cluster.settings().schema());
    } catch (SQLException e) {
      throw new IllegalStateException("the ledger cannot be read", e);
    }
  }

  Instant databaseTime() {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    } catch (SQLException e) {
      throw new IllegalStateException("the database does not know the time", e);
    }
  }

  private void writeDown(Findings findings) {
    try {
      Files.writeString(
          folder.resolve("findings.log"),
          findings + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeDown() {
    try {
      Files.write(
          folder.resolve("journal.log"),
          journal.all().stream().map(Journal.Entry::toString).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    writeDown();
    cluster.close();
    sink.close();
  }
}
