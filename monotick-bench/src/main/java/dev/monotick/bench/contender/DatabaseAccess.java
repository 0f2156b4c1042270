package dev.monotick.bench.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * The database that this process is to use, as the environment tells it.
 *
 * @param url its JDBC address
 */
record DatabaseAccess(String url, String user, String password) {

  static DatabaseAccess of(Map<String, String> environment) {
    return new DatabaseAccess(
        need(environment, "BENCH_URL"),
        need(environment, "BENCH_USER"),
        need(environment, "BENCH_PASSWORD"));
  }

  private static String need(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null) {
      throw new IllegalStateException(name + " is missing; this is started by a benchmark only");
    }
    return value;
  }

  /** Returns a pool such as the documentation of most peers advises, with batches sent as one. */
  HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url + "?reWriteBatchedInserts=true");
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(size);
    return new HikariDataSource(config);
  }

  Connection open() throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
