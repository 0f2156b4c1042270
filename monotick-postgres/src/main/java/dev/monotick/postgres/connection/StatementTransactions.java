package dev.monotick.postgres.connection;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which each statement that runs in autocommit is a transaction with settings of
 * its own. Beginning, settings, statement and commit leave in one message, so that this costs no
 * round trip; nothing stays set in the session. Only a statement that failed needs another message,
 * to roll back.
 *
 * <p>Without autocommit it is the connection itself: whoever begins a transaction sets what it
 * needs.
 */
final class StatementTransactions {

  /** What comes before the result of the statement: those of beginning and of setting. */
  private static final int RESULTS_BEFORE = 2;

  private final Connection connection;
  private final String begin;

  private StatementTransactions(Connection connection, String begin) {
    this.connection = connection;
    this.begin = begin;
  }

  /**
   * Returns the connection as such a one.
   *
   * @param begin begins a transaction, and sets what it needs by one query
   */
  static Connection of(Connection connection, String begin) {
    StatementTransactions self = new StatementTransactions(connection, begin);
    return (Connection)
        Proxy.newProxyInstance(
            StatementTransactions.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> self.call(method, arguments));
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    boolean prepares = name.equals("prepareStatement");
    if ((!prepares && !name.equals("createStatement")) || !connection.getAutoCommit()) {
      return invoke(connection, method, arguments);
    }
    Object[] given = arguments == null ? new Object[0] : arguments.clone();
    if (prepares) {
      given[0] = transaction((String) given[0]);
    }
    Statement statement = (Statement) invoke(connection, method, given);
    return Proxy.newProxyInstance(
        StatementTransactions.class.getClassLoader(),
        new Class<?>[] {prepares ? PreparedStatement.class : Statement.class},
        (proxy, called, values) -> call(statement, called, values));
  }

  private String transaction(String sql) {
    return begin + ";" + sql + ";commit";
  }

  private @Nullable Object call(
      @Nullable Statement statement, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (statement == null) {
      throw new SQLException("the driver gave no statement");
    }
    return switch (method.getName()) {
      case "execute" -> execute(statement, arguments);
      case "executeQuery" -> {
        boolean hasRows = execute(statement, arguments);
        ResultSet rows = hasRows ? statement.getResultSet() : null;
        if (rows == null) {
          throw new SQLException("a query gave no rows");
        }
        yield rows;
      }
      case "executeUpdate" -> {
        boolean unused = execute(statement, arguments);
        yield statement.getUpdateCount();
      }
      case "executeBatch", "executeLargeBatch", "executeLargeUpdate" ->
          throw new SQLException(method.getName() + " needs a transaction that is begun before");
      default -> invoke(statement, method, arguments);
    };
  }

  /** Returns whether the statement gave rows; they are the current result. */
  private boolean execute(Statement statement, Object @Nullable [] arguments) throws SQLException {
    try {
      if (statement instanceof PreparedStatement prepared) {
        prepared.execute();
      } else if (arguments != null) {
        statement.execute(transaction((String) arguments[0]));
      }
      boolean hasRows = false;
      for (int i = 0; i < RESULTS_BEFORE; i++) {
        hasRows = statement.getMoreResults();
      }
      return hasRows;
    } catch (SQLException e) {
      rollback(e);
      throw e;
    }
  }

  private void rollback(SQLException failure) {
    try {
      if (!connection.isClosed()) {
        SessionSettings.execute(connection, "rollback");
      }
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static @Nullable Object invoke(
      Object target, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
