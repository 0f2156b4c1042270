package dev.monotick.postgres.connection;

import dev.monotick.SchedulerException;
import dev.monotick.store.StoreException;
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
