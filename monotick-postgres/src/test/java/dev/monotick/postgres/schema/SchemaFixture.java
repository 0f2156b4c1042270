package dev.monotick.postgres.schema;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** A schema on a real server, and short ways to ask it things. */
final class SchemaFixture implements AutoCloseable {

  /** All versions, in their order, and the last of them. */
  static final List<Integer> VERSIONS = Migration.ALL.stream().map(Migration::version).toList();

  static final int NEWEST_VERSION = VERSIONS.size();

  final TestDatabase database;
  final SchemaName schema;
  private final List<String> roles = new ArrayList<>();

  SchemaFixture(int major) {
    database = TestDatabase.on(major);
    schema = new SchemaName(database.schema());
  }

  Migrations migrations() {
    return Migrations.of(database::connect, schema);
  }

  /** Migrations of this schema that consist of these texts instead of ours. */
  Migrations migrations(String... steps) {
    return new Migrations(database::connect, plan(steps));
  }

  MigrationPlan plan(String... steps) {
    List<Migration> known = new ArrayList<>();
    for (String step : steps) {
      known.add(step(known.size() + 1, 1, step));
    }
    return new MigrationPlan(schema, known, Duration.ofSeconds(30), false, null);
  }

  static Migration step(int version, int minCodeVersion, String sql) {
    return Migration.of(
        "V" + version + "__step.sql", "-- min_code_version: " + minCodeVersion + "\n" + sql + "\n");
  }

  /** Runs SQL as the superuser; {@code @name} is a table of the schema. */
  void execute(String sql) {
    database.execute(resolve(sql));
  }

  /** Returns the first column of all rows as text. */
  List<String> query(String sql) {
    try (Connection connection = database.connect()) {
      return query(connection, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  List<String> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(resolve(sql))) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(String.valueOf(row.getString(1)));
      }
      return values;
    }
  }

  String resolve(String sql) {
    return Migration.resolve(sql, schema);
  }

  /** Creates a role that may log in and own nothing yet; dropped with the schema. */
  String role(String kind) {
    String name = kind + "_" + UUID.randomUUID().toString().substring(0, 8);
    database.execute("create role " + name + " login password 'secret-of-" + name + "'");
    roles.add(name);
    return name;
  }

  /** Returns a source of connections as that role. */
  ConnectionSource as(String role) {
    return () -> {
      Properties properties = new Properties();
      properties.setProperty("user", role);
      properties.setProperty("password", "secret-of-" + role);
      return DriverManager.getConnection(database.url(), properties);
    };
  }

  /** Waits until a query has a row, and returns it. */
  String await(String sql) throws TimeoutException, SQLException {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    try (Connection connection = database.connect()) {
      while (System.nanoTime() - deadline < 0) {
        List<String> rows = query(connection, sql);
        if (!rows.isEmpty()) {
          return rows.get(0);
        }
        Thread.onSpinWait();
      }
    }
    throw new TimeoutException(sql);
  }

  @Override
  public void close() {
    database.close();
    for (String role : roles) {
      database.execute("drop owned by " + role);
      database.execute("drop role " + role);
    }
  }

  /** Something that runs on a thread of its own and ends with a value or an exception. */
  static final class Running<T> {

    private final AtomicReference<T> value = new AtomicReference<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread;

    Running(java.util.concurrent.Callable<T> work) {
      thread =
          new Thread(
              () -> {
                try {
                  value.set(work.call());
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    T result() throws Exception {
      thread.join(Duration.ofSeconds(30).toMillis());
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
      return java.util.Objects.requireNonNull(value.get(), "still running");
    }

    Throwable failure() throws InterruptedException {
      thread.join(Duration.ofSeconds(30).toMillis());
      return java.util.Objects.requireNonNull(failure.get(), "did not fail");
    }
  }
}
