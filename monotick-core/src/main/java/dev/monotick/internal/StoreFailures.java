package dev.monotick.internal;

import dev.monotick.error.StoreException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * How failures are logged. A database that does not answer is one line with the cause: each of many
 * sessions notices it, and where in our code it did so is of no use to an operator. Everything else
 * keeps its stack trace.
 */
public final class StoreFailures {

  private static final int DEEPEST = 20; // causes may form a ring

  private StoreFailures() {}

  /** Returns whether a connection to a database was lost or could not be had. */
  public static boolean isLostConnection(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof StoreException
          || cause instanceof SQLTransientConnectionException
          || cause instanceof SQLNonTransientConnectionException
          || cause instanceof SQLRecoverableException
          || (cause instanceof SQLException sql && isLost(sql))) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean isLost(SQLException failure) {
    String state = failure.getSQLState();
    if (state == null || state.isEmpty()) {
      // What a pool says of a connection that broke before: it has no state.
      return "Connection is closed".equals(failure.getMessage());
    }
    return state.startsWith("08") || state.startsWith("57P");
  }

  /**
   * Returns what a logger gets as the last argument for a call to the store that failed: null if
   * the store gave no answer, so that no stack trace is printed.
   */
  public static @Nullable Throwable trace(Throwable failure) {
    boolean silence = failure instanceof TimeoutException || isLostConnection(failure);
    return silence ? null : failure;
  }

  /** Returns the failure in one line, with its deepest cause if that says more. */
  public static String describe(Throwable failure) {
    String text = line(failure);
    Throwable root = failure;
    for (int depth = 0; root.getCause() != null && depth < DEEPEST; depth++) {
      root = root.getCause();
    }
    String message = root.getMessage() == null ? "" : oneLine(root.getMessage());
    return root == failure || (!message.isEmpty() && text.contains(message))
        ? text
        : text + ", because " + line(root);
  }

  private static String line(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getSimpleName();
    return message == null || message.isBlank() ? name : name + ": " + oneLine(message);
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
