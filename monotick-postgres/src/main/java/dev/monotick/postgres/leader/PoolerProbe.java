package dev.monotick.postgres.leader;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Finds out whether a connection is a session, or whether a pooler gives each transaction another
 * one, so that a lock taken in one statement is somebody else's in the next.
 *
 * <p>Two connections ask by turns which server process answers. With sessions, each always gets the
 * same one, and not that of the other. A pooler chooses without regard to who asks: one that hands
 * out the process that was used last, or has only one, shows both connections the same process; one
 * that hands them out in turn shows a connection that asks twice two of them. So the order of turns
 * has repetitions of both. A pooler that other clients keep busy chooses as good as at random, and
 * is found out all the more surely.
 *
 * <p>A pooler that keeps a server process for as long as a client is connected is no obstacle and
 * not found. One that merely tends to is found when it first changes its mind: whoever holds a
 * lease compares the process in each answer.
 */
public final class PoolerProbe {

  /** Whose turn it is. */
  private static final int[] ROUNDS = {0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0};

  private PoolerProbe() {}

  /**
   * Returns the evidence that there is a pooler in between which does not keep sessions, or empty
   * if each connection is a session.
   */
  public static Optional<String> findPooler(ConnectionSource source) {
    try (Connection first = source.open();
        Connection second = source.open()) {
      Connection[] connections = {first, second};
      int[] processes = {pid(first), pid(second)};
      for (int turn : ROUNDS) {
        int process = pid(connections[turn]);
        if (process != processes[turn]) {
          return Optional.of(
              "one connection was answered by different server processes ("
                  + processes[turn]
                  + " and "
                  + process
                  + ")");
        }
        if (process == processes[1 - turn]) {
          return Optional.of(
              "two connections were answered by the same server process (" + process + ")");
        }
      }
      return Optional.empty();
    } catch (SQLException e) {
      throw SqlFailures.translate("looking for a pooler", e);
    }
  }

  private static int pid(Connection connection) throws SQLException {
    return SessionSettings.DEFAULT.runShared(connection, PoolerProbe::backendPid);
  }

  private static int backendPid(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
