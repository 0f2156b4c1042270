package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings that the engine's own statements and transactions run with, whatever the defaults of
 * the server, the database, the role or a pool are.
 *
 * <ul>
 *   <li>Timeouts that the server enforces: a statement whose caller gave up is aborted, and a
 *       replica that freezes in a transaction blocks others only for a short time.
 *   <li>No JIT: to compile a statement takes longer than any of ours runs.
 *   <li>READ COMMITTED: a transaction that waited for a lock must see what its holder committed.
 *   <li>{@code synchronous_commit} at least {@code on}, unless the user decided otherwise: what was
 *       acknowledged must survive a crash of the server.
 * </ul>
 *
 * <p>How they are set depends on whose connection it is, see {@link ConnectionProfile}. A
 * transaction of the application's own keeps its settings; where the engine adds its proof to one
 * that it commits itself, {@link #proof} sets what that part needs, until the commit.
 *
 * @param durable whether commits are made durable
 * @param limits how long things may take
 */
public record SessionSettings(boolean durable, Limits limits) {

  /**
   * How long things may take, as the server measures it.
   *
   * @param statement one statement, with all it waits for
   * @param lock waiting for one lock
   * @param idle doing nothing in a transaction
   */
  public record Limits(Duration statement, Duration lock, Duration idle) {}

  /** The first is shorter than the network timeout, so that the server is the first to give up. */
  private static final Limits SHORT =
      new Limits(Duration.ofSeconds(4), Duration.ofSeconds(2), Duration.ofSeconds(2));

  /** What is right unless the user decided otherwise. */
  public static final SessionSettings DEFAULT = new SessionSettings(true);

  /**
   * Our statements find rows by their keys. Where statistics are missing or old, as on each day's
   * new partition, the planner would rather read all of it.
   */
  private static final String BY_KEY =
      "set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),"
          + " set_config('enable_mergejoin', 'off', true)";

  private static final Duration OPENING = Duration.ofSeconds(5);

  private static final String BEGIN = "begin isolation level read committed; ";

  /** Creates the settings of an engine. */
  public SessionSettings(boolean durable) {
    this(durable, SHORT);
  }

  /**
   * Returns SQL that makes the commit of its transaction durable. The level {@code remote_apply} is
   * stronger than {@code on} and stays.
   */
  public static String durableCommit() {
    return durableCommit(true);
  }

  private static String durableCommit(boolean local) {
    return "set_config('synchronous_commit', case current_setting('synchronous_commit')"
        + " when 'remote_apply' then 'remote_apply' else 'on' end, "
        + local
        + ")";
  }

  /** Returns SQL that sets everything for a session. */
  public String session() {
    return "select "
        + limits(false)
        + ", set_config('default_transaction_isolation', 'read committed', false)"
        + (durable ? ", " + durableCommit(false) : "");
  }

  /** Returns SQL that begins a transaction of one statement, with everything set. */
  String beginStatement() {
    return BEGIN + "select " + limits(true) + (durable ? ", " + durableCommit() : "");
  }

  /** Returns SQL that begins a transaction of one statement that need not be durable. */
  String beginWithoutDurability() {
    return BEGIN + "select " + limits(true) + ", set_config('synchronous_commit', 'off', true)";
  }

  /** Begins a transaction, in a connection without autocommit. */
  public void begin(Connection connection) throws SQLException {
    execute(connection, transaction());
  }

  /** Begins a transaction that finds rows by their keys, in a connection without autocommit. */
  void beginByKey(Connection connection) throws SQLException {
    execute(connection, transaction() + ", " + BY_KEY);
  }

  private String transaction() {
    return "set transaction isolation level read committed; select "
        + limits(true)
        + (durable ? ", " + durableCommit() : "");
  }

  /** Returns a query that finds rows by their keys; its result is the second one. */
  static String byKey(String query) {
    return "select " + BY_KEY + ";" + query;
  }

  /**
   * Returns SQL for the end of a transaction that is not ours, but holds locks of ours there. Sets
   * no timeout of statements: it would also end the constraint triggers of the application that run
   * at the commit.
   */
  String proof() {
    return "select set_config('idle_in_transaction_session_timeout', '"
        + limits.idle().toMillis()
        + "', true), set_config('jit', 'off', true)"
        + (durable ? ", " + durableCommit() : "");
  }

  /** Returns connections with the settings, set in the way that the profile says. */
  public ConnectionSource applyTo(ConnectionSource source, ConnectionProfile profile) {
    return () -> {
      Connection connection = source.open();
      try {
        return profile == ConnectionProfile.SHARED ? shared(connection) : own(connection);
      } catch (SQLException | RuntimeException e) {
        close(connection, e);
        throw e;
      }
    };
  }

  /** Returns the connection as one whose statements, in autocommit, have the settings each. */
  public Connection shared(Connection connection) {
    return StatementTransactions.of(connection, beginStatement());
  }

  /**
   * Returns the connection as one whose statements, in autocommit, have a timeout each and no other
   * setting of ours: for what is asked before the server is known, and for reading the defaults.
   */
  public Connection timed(Connection connection) {
    return StatementTransactions.of(
        connection,
        "begin; select set_config('statement_timeout', '"
            + limits.statement().toMillis()
            + "', true)");
  }

  /**
   * Does something with a connection that others use next: in autocommit, each statement with the
   * settings. The connection is left as it was.
   */
  public <T extends @Nullable Object> T runShared(Connection connection, SqlFunction<T> work)
      throws SQLException {
    return NetworkTimeout.during(
        connection, OPENING, timed -> AutoCommit.during(timed, each -> work.apply(shared(each))));
  }

  private Connection own(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true); // else a rollback would undo the settings
    }
    return NetworkTimeout.during(
        connection,
        OPENING,
        opened -> {
          execute(opened, session());
          return opened;
        });
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void close(Connection connection, Exception failure) {
    try {
      connection.close();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private String limits(boolean local) {
    return set("statement_timeout", limits.statement(), local)
        + set("lock_timeout", limits.lock(), local)
        + set("idle_in_transaction_session_timeout", limits.idle(), local)
        + "set_config('jit', 'off', "
        + local
        + ")";
  }

  private static String set(String name, Duration value, boolean local) {
    return "set_config('" + name + "', '" + value.toMillis() + "', " + local + "), ";
  }
}
