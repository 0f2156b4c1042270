package dev.monotick.postgres.schema;

import dev.monotick.error.SchedulerException;
import dev.monotick.error.StoreException;
import dev.monotick.postgres.connection.AutoCommit;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.NetworkTimeout;
import dev.monotick.postgres.connection.SecretMask;
import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.migration.SchemaException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Looks at the server before any work is done, and says in plain words what is wrong with it or
 * with the way to it. Nothing it says or throws, causes included, shows a password.
 */
public final class ServerCheck {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final String FACTS =
      "select cast(current_setting('server_version_num') as integer),"
          + " current_setting('server_version'), pg_is_in_recovery(),"
          + " cast(current_setting('transaction_read_only') as boolean),"
          + " current_user, current_database()";

  private final ConnectionSource source;

  private ServerCheck(ConnectionSource source) {
    this.source = source;
  }

  /** Returns the check of the server that connections from that source lead to. */
  public static ServerCheck of(ConnectionSource source) {
    return new ServerCheck(source);
  }

  /**
   * Returns what the server says about itself if a replica can work with it.
   *
   * @throws SchemaException if somebody has to act first: a wrong URL, user or password, a database
   *     that does not exist, a server that is too old or can't write
   * @throws StoreException if it may be a matter of time: no answer, or a server that is starting
   *     up, shutting down or full
   */
  public ServerFacts run() {
    ServerFacts facts;
    try (Connection connection = source.open()) {
      facts =
          NetworkTimeout.during(
              connection, TIMEOUT, timed -> AutoCommit.during(timed, ServerCheck::readFacts));
    } catch (SQLException e) {
      throw explain(e);
    }
    facts.check();
    return facts;
  }

  private static ServerFacts readFacts(Connection connection) throws SQLException {
    ServerProduct.check(connection); // others may not understand what is asked next
    return facts(SessionSettings.DEFAULT.timed(connection)); // nor an old server the other settings
  }

  private static ServerFacts facts(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(FACTS)) {
      row.next();
      return new ServerFacts(
          row.getInt(1),
          row.getString(2),
          row.getBoolean(3),
          row.getBoolean(4),
          row.getString(5),
          row.getString(6));
    }
  }

  /** Says what a failure to connect means. A pool's failure is judged by the driver's inside it. */
  private static SchedulerException explain(SQLException failure) {
    SQLException cause = innermost(failure);
    SQLException safe = SecretMask.scrub(failure);
    String said = SecretMask.scrub(String.valueOf(cause.getMessage())).strip();
    String state = cause.getSQLState() == null ? "" : cause.getSQLState();
    return switch (state) {
      case "28P01" ->
          new SchemaException(
              "the database refused the password (" + said + "); check user and password", safe);
      case "28000" ->
          new SchemaException(
              "the database refused the user ("
                  + said
                  + "); check the user's name, that the role exists with LOGIN, and pg_hba.conf",
              safe);
      case "3D000" ->
          new SchemaException(
              "there is no such database (" + said + "); check the URL, or create it", safe);
      case "42501" ->
          new SchemaException(
              "the role may not connect ("
                  + said
                  + "); let the owner of the database grant connect on it",
              safe);
      case "08004" ->
          new SchemaException(
              "the database can't be connected to in this way ("
                  + said
                  + "); check user, password and sslmode",
              safe);
      case "57P03" ->
          new StoreException(
              "the server does not take connections now (" + said + "); try again shortly", safe);
      case "53300" ->
          new StoreException(
              "the server has no connection left ("
                  + said
                  + "); lower the pools of its clients or raise max_connections",
              safe);
      default -> unreachable(failure, said, safe);
    };
  }

  private static SchedulerException unreachable(
      SQLException failure, String said, SQLException safe) {
    if (said.startsWith("No suitable driver")
        || said.startsWith("Unable to parse URL")
        || said.startsWith("Invalid ")) {
      return new SchemaException(
          "the URL of the database can't be read ("
              + said
              + "); write it like jdbc:postgresql://host:5432/database",
          safe);
    }
    if (isCausedBy(failure, UnknownHostException.class)) {
      return new StoreException(
          "the host of the database is unknown ("
              + said
              + rootOf(failure)
              + "); check the URL and the name service",
          safe);
    }
    if ("08P01".equals(innermost(failure).getSQLState())) { // not the protocol we speak
      return new SchemaException(
          "what answered is no PostgreSQL server (" + said + "); check host and port", safe);
    }
    return new StoreException(
        "no connection to the database ("
            + said
            + "); check host and port, and that the server runs and can be reached from here",
        safe);
  }

  private static SQLException innermost(SQLException failure) {
    SQLException found = failure;
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException inner && inner.getSQLState() != null) {
        found = inner;
      }
    }
    return found;
  }

  private static boolean isCausedBy(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  private static String rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return " " + SecretMask.scrub(String.valueOf(root.getMessage()));
  }
}
