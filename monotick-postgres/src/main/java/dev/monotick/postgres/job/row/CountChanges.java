package dev.monotick.postgres.job.row;

import dev.monotick.postgres.connection.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * By how much the counts of lanes change, gathered in one transaction and appended as one row for
 * each lane. Not thread-safe.
 */
public final class CountChanges {

  /** What is counted, in the order of the columns. */
  public enum Of {
    WAITING,
    READY,
    RUNNING,
    SUCCEEDED,
    FAILED,
    DEAD,
    ENDED
  }

  static final String COLUMNS = "lane, waiting, ready, running, succeeded, failed, dead, ended";

  private final Map<Integer, Map<Of, Integer>> changes = new TreeMap<>();

  public CountChanges add(int lane, Of what, int amount) {
    changes
        .computeIfAbsent(Math.abs(lane), any -> new EnumMap<>(Of.class))
        .merge(what, amount, Integer::sum);
    return this;
  }

  public void append(Database database, Connection connection) throws SQLException {
    if (changes.isEmpty()) {
      return;
    }
    List<Map.Entry<Integer, Map<Of, Integer>>> rows = List.copyOf(changes.entrySet());
    try (PreparedStatement statement =
        connection.prepareStatement(
            database.sql(
                "insert into @job_count_delta ("
                    + COLUMNS
                    + ") select * from unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[],"
                    + " ?::int[], ?::int[], ?::int[])"))) {
      BoundValues.column(statement, 1, "int4", rows, Map.Entry::getKey);
      int column = 2;
      for (Of what : Of.values()) {
        BoundValues.column(
            statement, column++, "int4", rows, row -> row.getValue().getOrDefault(what, 0));
      }
      statement.executeUpdate();
    }
  }
}
