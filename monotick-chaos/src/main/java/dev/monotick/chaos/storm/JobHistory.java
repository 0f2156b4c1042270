package dev.monotick.chaos.storm;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.workload.PlannedJobKinds;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a journal tells of jobs, held against the rules: it is written into the tables that the
 * rules are about, when the run is over.
 */
public final class JobHistory {

  private final Connection connection;
  private final String schema;
  private final WallClock clock;
  private final List<String> violations = new ArrayList<>();
  private final Map<String, HistoryEvent> doubtful = new HashMap<>();
  private final Map<String, HistoryEvent> added = new LinkedHashMap<>();

  private JobHistory(Connection connection, String schema, WallClock clock) {
    this.connection = connection;
    this.schema = schema;
    this.clock = clock;
  }

  /**
   * What was found.
   *
   * @param jobs how many jobs there were
   * @param runs how many handlers began
   * @param rescued how many runs were taken from replicas that were gone
   * @param cancelled how many jobs were called off
   * @param refusedKeys how many jobs were not added because another had their key
   * @param found how often each rule was violated, by the name of its group
   * @param violations what was violated, for people
   */
  public record Result(
      long jobs,
      long runs,
      long rescued,
      long cancelled,
      long refusedKeys,
      Map<String, Long> found,
      List<String> violations) {}

  /** Creates the tables of the rules; those of the store are there. */
  public static void prepare(Connection connection, String schema) throws SQLException {
    StormTables.create(connection, schema);
  }

  /** Says whether nothing waits and nothing runs. */
  public static boolean isOver(Connection connection, String schema) throws SQLException {
    return StormProgress.isOver(connection, schema);
  }

  /** Checks a run that is over. */
  public static Result check(Connection connection, String schema, List<Journal.Entry> journal)
      throws SQLException {
    JobHistory history = new JobHistory(connection, schema, WallClock.of(journal));
    history.load(journal);
    FrozenTimes.of(journal).write(connection, history.clock);
    history.adopt();
    history.writeAdded();
    StormCheck check = StormCheck.of(connection, schema, false);
    history.violations.addAll(check.violations());
    String attempts = schema + ".job_attempt";
    return new Result(
        history.count("select count(*) from watch.job"),
        history.count("select count(*) from watch.run where word = 'begin'"),
        history.count("select count(*) from " + attempts + " where outcome in (6, 7)"),
        history.count("select count(*) from " + attempts + " where outcome = 9"),
        history.count("select count(*) from watch.duplicate"),
        check.found(),
        List.copyOf(history.violations));
  }

  private void load(List<Journal.Entry> journal) throws SQLException {
    try (PreparedStatement run =
            connection.prepareStatement(
                "insert into watch.run (at, job, run, attempt, replica, kind, key, word, begun_at)"
                    + " values (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        PreparedStatement duplicate =
            connection.prepareStatement(
                "insert into watch.duplicate (id, unique_key, asked_at) values (?, ?, ?)");
        PreparedStatement cancel =
            connection.prepareStatement(
                "insert into watch.cancel (id, is_acknowledged) values (?, ?)")) {
      for (Journal.Entry entry : journal) {
        HistoryEvent event = entry.event();
        switch (event.kind()) {
          case "job" -> run(run, entry.source(), event);
          case "added" -> {
            if (event.has("new", "true")) {
              added.put(event.get("id"), event);
            } else {
              duplicate.setLong(1, Long.parseLong(event.get("id")));
              duplicate.setString(2, event.get("unique"));
              duplicate.setObject(3, OffsetDateTime.parse(event.get("asked")));
              duplicate.addBatch();
            }
          }
          case "doubtful" -> doubtful.put(event.get("wish"), event);
          case "cancel" -> {
            cancel.setLong(1, Long.parseLong(event.get("id")));
            cancel.setBoolean(2, event.has("done", "true"));
            cancel.addBatch();
          }
          default -> {}
        }
      }
      run.executeBatch();
      duplicate.executeBatch();
      cancel.executeBatch();
    }
  }

  private void run(PreparedStatement run, String source, HistoryEvent event) throws SQLException {
    run.setObject(1, time(event.nanos()));
    run.setLong(2, Long.parseLong(event.get("id")));
    run.setInt(3, Integer.parseInt(event.get("run")));
    run.setInt(4, Integer.parseInt(event.get("attempt")));
    run.setString(5, source);
    run.setString(6, event.get("kind"));
    run.setString(7, orNull(event.get("key")));
    run.setString(8, event.get("word"));
    run.setObject(9, event.has("word", "begin") ? time(event.nanos()) : null);
    run.addBatch();
  }

  /** A job whose answer was lost may be there, once, and is then a job like any other. */
  private void adopt() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select id, headers[array_position(headers, '"
                    + PlannedJobKinds.REQUEST
                    + "') + 1] from "
                    + schema
                    + ".job")) {
      while (row.next()) {
        String id = row.getString(1);
        if (!added.containsKey(id)) {
          HistoryEvent event = doubtful.remove(row.getString(2));
          if (event == null) {
            violations.add("lost: job " + id + " is there, and nobody or somebody twice added it");
          } else {
            added.put(id, event);
          }
        }
      }
    }
  }

  private void writeAdded() throws SQLException {
    try (PreparedStatement job =
        connection.prepareStatement(
            "insert into watch.job (id, kind, unique_key, limit_key, attempts, succeeds, known_at)"
                + " values (?, ?, ?, ?, ?, ?, ?)")) {
      for (Map.Entry<String, HistoryEvent> entry : added.entrySet()) {
        HistoryEvent event = entry.getValue();
        job.setLong(1, Long.parseLong(entry.getKey()));
        job.setString(2, event.get("kind"));
        job.setString(3, orNull(event.get("unique")));
        job.setString(4, orNull(event.get("limit")));
        job.setInt(5, Integer.parseInt(event.get("attempts")));
        job.setBoolean(6, Boolean.parseBoolean(event.get("succeeds")));
        job.setObject(7, time(event.nanos()));
        job.addBatch();
      }
      job.executeBatch();
    }
  }

  private OffsetDateTime time(long nanos) {
    return OffsetDateTime.ofInstant(clock.at(nanos), ZoneOffset.UTC);
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private long count(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
