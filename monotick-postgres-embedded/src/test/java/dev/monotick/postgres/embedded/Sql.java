package dev.monotick.postgres.embedded;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/** Statements against a server, each in a connection of its own. */
final class Sql {

  private Sql() {}

  static Connection connect(EmbeddedPostgres server) throws SQLException {
    return connect(server.url(), server.user(), server.password());
  }

  static Connection connect(String url, String user, String password) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    return source.getConnection(user, password);
  }

  static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = connect(server);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the first column of all rows. */
  static List<String> rows(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = connect(server);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(result.getString(1));
      }
      return rows;
    }
  }

  static String value(EmbeddedPostgres server, String sql) throws SQLException {
    return rows(server, sql).get(0);
  }
}
