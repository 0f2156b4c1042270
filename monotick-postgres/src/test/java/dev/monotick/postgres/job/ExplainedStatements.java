package dev.monotick.postgres.job;

import dev.monotick.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Collects what the server did for the statements of a store, also inside of functions: which nodes
 * of their plans touched how many buffers.
 */
final class ExplainedStatements {

  private static final Pattern HIT = Pattern.compile("shared hit=([0-9]+)");
  private static final Pattern READ = Pattern.compile("\\bread=([0-9]+)");

  private final TestDatabase database;
  private final List<String> plans = new CopyOnWriteArrayList<>(); // of several threads

  private final AtomicBoolean breaksNextTurn = new AtomicBoolean();

  ExplainedStatements(TestDatabase database) {
    this.database = database;
  }

  /** Has the next turn end as if its connection had broken. */
  void breakNextTurn() {
    breaksNextTurn.set(true);
  }

  /** Forgets what was collected. */
  void clear() {
    plans.clear();
  }

  /**
   * Returns how many buffers were touched to find rows of a table by its primary key, and so how
   * many dead rows, of which a buffer has some hundred.
   */
  long buffersOfScans(String table) {
    Pattern scan = Pattern.compile("Index Scan using " + table + "_pkey on " + table + "\\b");
    long sum = 0;
    boolean isScan = false;
    for (String line : String.join("\n", plans).split("\n", -1)) {
      if (line.contains("->") || line.contains("Query Text")) {
        isScan = false;
      }
      if (scan.matcher(line).find()) {
        isScan = true;
      }
      if (isScan && line.contains("Buffers:")) {
        sum += number(HIT, line) + number(READ, line);
        isScan = false;
      }
    }
    return sum;
  }

  private static long number(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  DataSource source() {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return connect();
            });
  }

  private Connection connect() throws SQLException {
    Connection connection = database.connect();
    try (Statement statement = connection.createStatement()) {
      statement.execute("load 'auto_explain'");
      statement.execute("set auto_explain.log_min_duration = 0");
      statement.execute("set auto_explain.log_analyze = on");
      statement.execute("set auto_explain.log_buffers = on");
      statement.execute("set auto_explain.log_nested_statements = on");
      statement.execute("set client_min_messages = log");
    }
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && String.valueOf(arguments[0]).contains(".job_exchange(")
                  && breaksNextTurn.compareAndSet(true, false)) {
                throw new SQLException("the connection was cut", "08006");
              }
              try {
                Object result = method.invoke(connection, arguments);
                return result instanceof PreparedStatement statement ? kept(statement) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private PreparedStatement kept(PreparedStatement statement) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                collect(statement.getWarnings());
              }
              try {
                return method.invoke(statement, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void collect(@Nullable SQLWarning first) {
    for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
      plans.add(String.valueOf(warning.getMessage()));
    }
  }
}
