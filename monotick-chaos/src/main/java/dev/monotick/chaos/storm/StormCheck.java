package dev.monotick.chaos.storm;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Holds what was written down during a storm against the rules, by SQL alone. */
final class StormCheck {

  private final Map<String, Long> found = new LinkedHashMap<>();
  private final List<String> violations = new ArrayList<>();

  private final String schema;

  private StormCheck(String schema) {
    this.schema = schema;
  }

  /**
   * Checks.
   *
   * @param schema of the store
   * @param needed whether to complain, too, if nothing could have gone wrong
   */
  static StormCheck of(Connection connection, String schema, boolean needed) throws SQLException {
    StormCheck check = new StormCheck(schema);
    try (Statement statement = connection.createStatement()) {
      for (String index :
          List.of("job (id)", "run (job, run)", "effect (job)", "claim (job, run)")) {
        String name = "by_" + index.substring(0, index.indexOf(' '));
        statement.execute("create index if not exists " + name + " on watch." + index);
        statement.execute("analyze watch." + index.substring(0, index.indexOf(' ')));
      }
      statement.execute("analyze " + schema + ".job_attempt");
      for (StormRules.Rule rule : StormRules.ALL) {
        check.check(statement, rule);
      }
      for (StormRules.Rule rule : needed ? StormRules.NEEDED : List.<StormRules.Rule>of()) {
        check.need(statement, rule);
      }
    }
    return check;
  }

  /** Returns how often rules were violated, by group. */
  Map<String, Long> found() {
    return found;
  }

  /** Returns what was violated, for people. */
  List<String> violations() {
    return violations;
  }

  private void check(Statement statement, StormRules.Rule rule) throws SQLException {
    try (ResultSet row = statement.executeQuery(counting(rule))) {
      row.next();
      long count = row.getLong(1);
      found.merge(rule.group(), count, Long::sum);
      if (count > 0) {
        violations.add(
            rule.group() + ": " + rule.text() + ", " + count + " times, as " + row.getString(2));
      }
    }
  }

  private void need(Statement statement, StormRules.Rule rule) throws SQLException {
    try (ResultSet row = statement.executeQuery(counting(rule))) {
      row.next();
      if (row.getLong(1) == 0) {
        violations.add(rule.text());
      }
    }
  }

  private String counting(StormRules.Rule rule) {
    return "select count(*), min(what) from ("
        + StormTables.in(schema, rule.sql())
        + ") as violation(what)";
  }
}
