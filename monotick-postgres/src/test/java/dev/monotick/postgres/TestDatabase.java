package dev.monotick.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.UUID;

/**
 * A schema of its own on a real server, for one test. Dropped when closed.
 *
 * @param url JDBC URL of the server, without user and password
 * @param user a user who may do everything
 * @param password that user's password
 * @param schema name of a schema that does not exist yet
 */
public record TestDatabase(String url, String user, String password, String schema)
    implements AutoCloseable {

  /** The oldest and the newest supported major version. */
  public static final int OLDEST = 14;

  public static final int NEWEST = 18;

  /** Stands for the version that the operating system packages; tests on it may be skipped. */
  public static final int PACKAGED = 0;

  /**
   * Returns a new schema's name on the server of that major version, which is started if need be.
   */
  public static TestDatabase on(int major) {
    TestServer server = TestServer.of(major);
    String schema = "t_" + UUID.randomUUID().toString().substring(0, 13).replace('-', '_');
    return new TestDatabase(server.url(), server.user(), server.password(), schema);
  }

  /** Returns a new connection that the caller closes. */
  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    return DriverManager.getConnection(url, properties);
  }

  /** Runs one statement in a connection of its own. */
  public void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  @Override
  public void close() {
    execute("drop schema if exists " + schema + " cascade");
  }
}
