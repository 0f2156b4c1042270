package dev.monotick.chaos.check;

import dev.monotick.chaos.history.Journal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A tick that somebody asked for and was promised is there once, and has an outcome. */
public final class TriggerCheck {

  private TriggerCheck() {}

  /**
   * What was found.
   *
   * @param asked how many keys were acknowledged
   * @param violations what was promised and not kept
   */
  public record Result(int asked, List<String> violations) {}

  /** Checks a run. */
  public static Result check(List<Journal.Entry> journal, Connection connection, String schema)
      throws SQLException {
    Set<String> acknowledged = new TreeSet<>();
    for (Journal.Entry entry : journal) {
      if (entry.is("answered")
          && entry.event().has("done", "true")
          && entry.event().get("request").startsWith("trigger ")) {
        acknowledged.add(entry.event().get("request").split(" ", -1)[2]);
      }
    }
    Map<String, List<String>> found = read(connection, schema);
    List<String> violations = new ArrayList<>();
    for (String key : acknowledged) {
      List<String> rows = found.getOrDefault(key, List.of());
      if (rows.size() != 1) {
        violations.add("every tick has one outcome: trigger " + key + " has " + rows);
      }
    }
    found.forEach(
        (key, rows) -> {
          if (rows.contains("none")) {
            violations.add("every tick has one outcome: trigger " + key + " has none");
          }
        });
    return new Result(acknowledged.size(), violations);
  }

  private static Map<String, List<String>> read(Connection connection, String schema)
      throws SQLException {
    Map<String, List<String>> found = new HashMap<>();
    try (PreparedStatement statement =
            connection.prepareStatement(
                "select trigger_key, coalesce(outcome, 'none') from \""
                    + schema
                    + "\".tick where trigger_key <> ''");
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        found.computeIfAbsent(row.getString(1), key -> new ArrayList<>()).add(row.getString(2));
      }
    }
    return found;
  }
}
