package dev.monotick.chaos.replica;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

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
   * @param nominal nominal time of the tick, as text
   * @param replica who wrote it
   */
  public record Row(String nominal, String replica) {}

  /** Creates the table. */
  public void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table " + table() + " (nominal text, replica text)");
    }
  }

  /** Returns all rows. */
  public List<Row> read(Connection connection) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement statement =
            connection.prepareStatement("select nominal, replica from " + table());
        ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        rows.add(new Row(found.getString(1), found.getString(2)));
      }
    }
    return rows;
  }

  void insert(Connection connection, Row row) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into " + table() + " values (?, ?)")) {
      statement.setString(1, row.nominal());
      statement.setString(2, row.replica());
      statement.executeUpdate();
    }
  }

  static DataSource dataSource(ReplicaSettings settings) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(settings.url());
    dataSource.setUser(settings.user());
    dataSource.setPassword(settings.password());
    dataSource.setConnectTimeout(2);
    dataSource.setLoginTimeout(2);
    dataSource.setSocketTimeout(2);
    return dataSource;
  }

  private String table() {
    return "public.exact_of_" + schema;
  }
}
