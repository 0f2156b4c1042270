package dev.monotick.chaos.replica;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A table of work that all replicas share. Rows are claimed before they are worked on, in one
 * statement, so that each is worked on at most once whatever breaks; one that was claimed by
 * somebody who then died stays undone.
 */
public final class SharedRows {

  private static final int ROWS = 20_000;

  private final ReplicaProcessSettings settings;
  private @Nullable Connection connection;

  SharedRows(ReplicaProcessSettings settings) {
    this.settings = settings;
  }

  /** Creates the table, full of work. */
  public static void create(Connection connection, String schema) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "create table "
              + table(schema)
              + " (id bigint not null primary key, claimed_by text)"
              + " with (fillfactor = 50)");
      statement.execute("create index on " + table(schema) + " (id) where claimed_by is null");
      statement.execute(
          "insert into " + table(schema) + " (id) select generate_series(1, " + ROWS + ")");
    }
  }

  private static String table(String schema) {
    return "public.work_of_" + schema;
  }

  /** Claims up to that many rows, and returns their ids. */
  synchronized List<Long> claim(int most) throws SQLException {
    try {
      return claim(open(), most);
    } catch (SQLException e) {
      // Whether rows were claimed is not known: then nobody works on them.
      close();
      throw e;
    }
  }

  private List<Long> claim(Connection open, int most) throws SQLException {
    // Locks the rows it updates; skips those locked by others. At read committed.
    try (PreparedStatement statement =
        open.prepareStatement(
            "update "
                + table(settings.schema())
                + " set claimed_by = ? where id in (select id from "
                + table(settings.schema())
                + " where claimed_by is null order by id limit ? for update skip locked)"
                + " returning id")) {
      statement.setString(1, settings.name());
      statement.setInt(2, most);
      List<Long> ids = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      return ids;
    }
  }

  private Connection open() throws SQLException {
    Connection current = connection;
    if (current == null) {
      Properties properties = new Properties();
      properties.setProperty("user", settings.user());
      properties.setProperty("password", settings.password());
      properties.setProperty("connectTimeout", "2");
      properties.setProperty("loginTimeout", "2");
      properties.setProperty("socketTimeout", "2");
      current = DriverManager.getConnection(settings.url(), properties);
      connection = current;
    }
    return current;
  }

  private void close() {
    Connection broken = connection;
    connection = null;
    if (broken != null) {
      try {
        broken.abort(Runnable::run);
      } catch (SQLException e) {
        // It was broken already.
      }
    }
  }
}
