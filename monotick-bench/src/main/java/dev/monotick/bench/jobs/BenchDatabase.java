package dev.monotick.bench.jobs;

import dev.monotick.bench.postgres.BenchServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A database of its own on the server, for one contender and one round; gone when it is closed. */
final class BenchDatabase implements AutoCloseable {

  private final BenchServer server;
  private final String name;

  private BenchDatabase(BenchServer server, String name) {
    this.server = server;
    this.name = name;
  }

  static BenchDatabase create(BenchServer server, String name) throws SQLException {
    String database = name.replace('-', '_');
    server.execute("drop database if exists " + database + " with (force)");
    server.execute("create database " + database);
    return new BenchDatabase(server, database);
  }

  String name() {
    return name;
  }

  /** Returns what tells a process which database to use. */
  Map<String, String> environment() {
    return Map.of(
        "BENCH_URL",
        server.url(name),
        "BENCH_PORT",
        String.valueOf(server.port()),
        "BENCH_DATABASE",
        name,
        "BENCH_USER",
        server.user(),
        "BENCH_PASSWORD",
        server.password());
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(server.url(name), server.user(), server.password());
  }

  /** Gives everybody the same start: no dead rows, fresh statistics, nothing left to write. */
  void awaitQuiet() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("vacuum analyze");
      statement.execute("checkpoint");
    }
  }

  /** Returns the number that a query gives. */
  long ask(String sql) throws SQLException {
    try (Connection connection = connect()) {
      return ask(connection, sql);
    }
  }

  static long ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  /** Has a connection keep a snapshot, and with it all rows that die from now on. */
  static void hold(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    ask(connection, "select count(*) from pg_class");
  }

  @Override
  public void close() throws SQLException {
    server.execute("drop database if exists " + name + " with (force)");
  }
}
