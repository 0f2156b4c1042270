package dev.monotick.chaos.replica;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.sink.EffectVerdict;
import dev.monotick.chaos.sink.SinkEffect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A table that the leader writes into together with its ticks: exactly one row for each tick that
 * succeeded. It has no key that would keep a second one out.
 */
public final class ExactRows {

  private final String schema;

  /** Creates the view of a cluster's table. */
  public ExactRows(String schema) {
    this.schema = schema;
  }

  /**
   * A row.
   *
   * @param task name of the task
   * @param nominal nominal time of the tick, as text
   * @param replica who wrote it
   */
  public record Row(String task, String nominal, String replica) {

    /** Returns it as the sink would have told of it, had it taken place there. */
    public HistoryEvent effect(String group) {
      return HistoryEvent.now(
          "effect",
          "verdict",
          EffectVerdict.ACCEPTED,
          "group",
          group,
          "task",
          task,
          "nominal",
          nominal,
          "attempt",
          0,
          "replica",
          replica,
          "kind",
          SinkEffect.Kind.PLAIN,
          "fence",
          "",
          "key",
          nominal);
    }
  }

  /** Creates the table. */
  public void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table " + table() + " (task text, nominal text, replica text)");
    }
  }

  /** Returns all rows. */
  public List<Row> read(Connection connection) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement statement =
            connection.prepareStatement("select task, nominal, replica from " + table());
        ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        rows.add(new Row(found.getString(1), found.getString(2), found.getString(3)));
      }
    }
    return rows;
  }

  void insert(Connection connection, Row row) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into " + table() + " values (?, ?, ?)")) {
      statement.setString(1, row.task());
      statement.setString(2, row.nominal());
      statement.setString(3, row.replica());
      statement.executeUpdate();
    }
  }

  private String table() {
    return "public.exact_of_" + schema;
  }
}
