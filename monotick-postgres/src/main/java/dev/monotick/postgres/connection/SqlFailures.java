package dev.monotick.postgres.connection;

import dev.monotick.error.SchedulerException;
import dev.monotick.error.StoreException;
import java.sql.SQLException;

/** What an SQLException means to a caller. */
public final class SqlFailures {

  private SqlFailures() {}

  /**
   * Returns the exception for a call that failed: {@link StoreException} where trying again can
   * help, and a plain {@link SchedulerException} where the server understood and refused (a missing
   * table or privilege, a value out of range).
   */
  public static SchedulerException translate(String what, SQLException failure) {
    String message = what + " failed: " + describe(failure);
    return isRefusal(failure)
        ? new SchedulerException(message, failure)
        : new StoreException(message, failure);
  }

  /** Returns the message and SQL state in one line. */
  public static String describe(SQLException failure) {
    String text = String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
    return failure.getSQLState() == null ? text : text + " (SQL state " + state(failure) + ")";
  }

  /** Says whether the transaction lost against another one and may be repeated at once. */
  public static boolean isConflict(SQLException failure) {
    String state = state(failure);
    return state.equals("40001") || state.equals("40P01");
  }

  /**
   * Says whether the connection is gone, or should not be used any more: after a failover one may
   * lead to a server that became a standby, which answers and refuses to write (25006) for ever.
   */
  public static boolean isConnectionFailure(SQLException failure) {
    String state = state(failure);
    return state.isEmpty()
        || state.startsWith("08")
        || state.startsWith("57P")
        || state.equals("25006");
  }

  /**
   * Returns whether the server, or the way to it, refused a connection: it cannot be reached, shuts
   * down or starts up, or has no connection left. The failure of a pool is judged by its causes
   * too.
   */
  public static boolean isServerUnavailable(SQLException failure) {
    return isUnavailable(cause(failure));
  }

  /** Returns the message and SQL state of the server's refusal, in one line. */
  public static String describeCause(SQLException failure) {
    return describe(cause(failure));
  }

  /** Returns the first failure in the chain that tells of the server, else the failure itself. */
  private static SQLException cause(SQLException failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof SQLException candidate && isUnavailable(candidate)) {
        return candidate;
      }
    }
    return failure;
  }

  private static boolean isUnavailable(SQLException failure) {
    String state = state(failure);
    return state.startsWith("08") || state.startsWith("57P") || state.startsWith("53");
  }

  /** Says whether the server understood and refused, so that the same again is refused again. */
  public static boolean isRefusal(SQLException failure) {
    String state = state(failure);
    return state.startsWith("42")
        || state.startsWith("22")
        || state.startsWith("23")
        || state.startsWith("0A")
        || state.startsWith("3F");
  }

  private static String state(SQLException failure) {
    String state = failure.getSQLState();
    return state == null ? "" : state;
  }
}
