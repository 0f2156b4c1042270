package dev.monotick.chaos.campaign;

import dev.monotick.chaos.check.CheckScope;
import dev.monotick.chaos.check.LedgerRow;
import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.FaultContext;
import dev.monotick.chaos.nemesis.Nemesis;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.storm.JobHistory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Waits, when no more faults strike, until everything that was begun has come to its end. */
final class RunCompletion {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final int POLLS_BETWEEN = 6;

  /** For whoever lost leadership waits for a lease, and for replicas that have to start first. */
  private static final Duration LEADER_WITHIN = Duration.ofSeconds(20);

  private final FaultContext scene;
  private final ChaosSettings settings;
  private final TaskEditor editor;
  private final Nemesis nemesis;

  /**
   * How it went.
   *
   * @param until ticks up to this time must have their outcome
   * @param complaints what did not come to an end
   * @param leaderAfter how long after the last fault somebody led; empty if nobody did
   */
  record CompletionResult(Instant until, List<String> complaints, Optional<Duration> leaderAfter) {}

  RunCompletion(FaultContext scene, ChaosSettings settings, TaskEditor editor, Nemesis nemesis) {
    this.scene = scene;
    this.settings = settings;
    this.editor = editor;
    this.nemesis = nemesis;
  }

  CompletionResult await(Duration patience) throws SQLException {
    List<String> complaints = new ArrayList<>();
    long calm = System.nanoTime();
    Optional<Duration> leaderAfter = awaitLeader(calm);
    if (leaderAfter.isEmpty()) {
      complaints.add("a leader is found again: none within " + LEADER_WITHIN);
    }
    Instant until = databaseTime();
    long deadline = System.nanoTime() + patience.toNanos();
    List<String> open = List.of("nothing looked at");
    for (int look = 0; !open.isEmpty() && System.nanoTime() - deadline < 0; look++) {
      if (look % POLLS_BETWEEN == 0) {
        editor.resumeAll(); // again and again: whoever is asked may just be starting, or ending
      }
      Waiting.let(POLL_INTERVAL);
      nemesis.revive();
      open = open(until);
    }
    open.forEach(what -> complaints.add("everything comes to its end: " + what));
    return new CompletionResult(until, complaints, leaderAfter);
  }

  private Optional<Duration> awaitLeader(long since) {
    long deadline = since + LEADER_WITHIN.toNanos();
    while (System.nanoTime() - deadline < 0) {
      Optional<ClusterMember> leader = scene.cluster().leader();
      if (leader.isPresent()) {
        return Optional.of(Duration.ofNanos(System.nanoTime() - since));
      }
      nemesis.revive();
      Waiting.let(Duration.ofMillis(20));
    }
    return Optional.empty();
  }

  /** Returns what has not come to its end. */
  private List<String> open(Instant until) throws SQLException {
    List<String> open = new ArrayList<>();
    try (Connection connection = scene.server().connect()) {
      if (!settings.control()) {
        List<LedgerRow> rows = LedgerRow.read(connection, ChaosRun.SCHEMA);
        for (String task : new CheckScope(TaskWorkload.FULL, ChaosRun.PERIOD).inLedger()) {
          if (!isComplete(task, until, rows)) {
            open.add("ticks of " + task + " up to " + until);
          }
        }
      }
      if (!JobHistory.isOver(connection, ChaosRun.SCHEMA)) {
        open.add("jobs wait or run");
      }
    }
    return open;
  }

  private static boolean isComplete(String task, Instant until, List<LedgerRow> rows) {
    List<LedgerRow> own = rows.stream().filter(row -> row.task().equals(task)).toList();
    return !own.isEmpty()
        && own.get(own.size() - 1).last().isAfter(until)
        && own.stream()
            .filter(row -> !row.first().isAfter(until))
            .allMatch(row -> "ENDED".equals(row.status()));
  }

  private Instant databaseTime() throws SQLException {
    try (Connection connection = scene.server().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  Journal journal() {
    return scene.cluster().journal();
  }
}
