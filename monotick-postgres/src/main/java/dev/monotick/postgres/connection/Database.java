package dev.monotick.postgres.connection;

import dev.monotick.error.SchedulerException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database as the parts of a store see it: short transactions on connections from a pool,
 * {@link Session}s apart from it, and the names of our tables in the chosen schema. Thread-safe.
 */
public final class Database {

  private static final Logger log = LoggerFactory.getLogger(Database.class);

  /** How long the answer to one statement may take before its connection is given up. */
  private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(5);

  /** How often a transaction that lost against another one is repeated at once. */
  private static final int CONFLICTS = 5;

  private static final Pattern TABLE = Pattern.compile("@([a-z_]+)");

  private final Pool pool;
  private final ConnectionSource own;
  private final SchemaName schema;
  private final SessionSettings settings;
  private final ConnectionProfile pooled;
  private final @Nullable Connection joined;
  private final boolean repeats; // what lost against another transaction
  private final List<Runnable> brokenListeners;
  private final List<Session> sessions;

  /**
   * Whose the connections are.
   *
   * @param pooled those of the pool; if {@link ConnectionProfile#OWN}, they have the settings
   * @param kept those that are kept for good; the settings are applied here
   */
  public record Profiles(ConnectionProfile pooled, ConnectionProfile kept) {}

  /**
   * Creates one with a pool that others may use too, and direct connections to keep.
   *
   * @param pool connections for short transactions
   * @param own connections that are kept for good
   * @param schema name of the schema, checked by {@link SchemaName}
   */
  public Database(Pool pool, ConnectionSource own, SchemaName schema) {
    this(
        pool,
        own,
        schema,
        SessionSettings.DEFAULT,
        new Profiles(ConnectionProfile.SHARED, ConnectionProfile.OWN));
  }

  /**
   * Creates one.
   *
   * @param pool connections for short transactions
   * @param own connections that are kept for good
   * @param schema name of the schema, checked by {@link SchemaName}
   */
  public Database(
      Pool pool,
      ConnectionSource own,
      SchemaName schema,
      SessionSettings settings,
      Profiles profiles) {
    this.pool = pool;
    this.own = settings.applyTo(own, profiles.kept());
    this.schema = schema;
    this.settings = settings;
    this.pooled = profiles.pooled();
    this.joined = null;
    this.repeats = true;
    this.brokenListeners = new CopyOnWriteArrayList<>();
    this.sessions = new CopyOnWriteArrayList<>();
  }

  private Database(Database other, Connection joined, boolean repeats) {
    this.pool = other.pool;
    this.own = other.own;
    this.schema = other.schema;
    this.settings = other.settings;
    this.pooled = other.pooled;
    this.joined = joined;
    this.repeats = repeats;
    this.brokenListeners = other.brokenListeners;
    this.sessions = other.sessions;
  }

  /**
   * Returns the same database as a transaction of somebody else's sees it: what is done {@link
   * #inTransaction} is part of that one, is not repeated, and is his to commit.
   */
  public Database joining(Connection connection) {
    return new Database(this, connection, false);
  }

  /**
   * Returns the same database by way of a connection that is open, in autocommit, and nobody
   * else's: each statement is a transaction, and repeated if it lost against another one.
   */
  public Database by(Connection connection) {
    return new Database(this, connection, true);
  }

  /** Returns the name of our schema. */
  public SchemaName schema() {
    return schema;
  }

  /** Returns SQL in which each {@code @name} stands for that table of our schema. */
  public String sql(String text) {
    return TABLE.matcher(text).replaceAll(match -> schema.quoted() + "." + match.group(1));
  }

  /** Returns a session apart from the pool; see {@link Session}. */
  public Session session(SqlFunction<?> prepare) {
    Session session = new Session(own, prepare);
    sessions.removeIf(Session::isClosed);
    sessions.add(session);
    return session;
  }

  /** Returns how many connections its sessions keep at the moment. */
  public int openSessions() {
    return (int) sessions.stream().filter(session -> session.generation() != 0).count();
  }

  /**
   * Has a listener told whenever a connection broke: the next one may lead to another server, one
   * that took the place of the first and does not know all that the first one did. Must be quick.
   */
  public void whenBroken(Runnable listener) {
    brokenListeners.add(listener);
  }

  /** Does something in autocommit: each statement is a transaction, with the settings. */
  public <T extends @Nullable Object> T once(String what, SqlFunction<T> work) {
    return call(
        what,
        pooled == ConnectionProfile.OWN || joined != null
            ? work
            : connection -> work.apply(settings.shared(connection)));
  }

  /**
   * Does something in autocommit that need not survive a crash of the server: a hint, which nobody
   * misses then.
   */
  public <T extends @Nullable Object> T withoutDurability(String what, SqlFunction<T> work) {
    return call(
        what,
        joined != null
            ? work
            : connection ->
                work.apply(
                    StatementTransactions.of(connection, settings.beginWithoutDurability())));
  }

  /**
   * Prepares a query that finds rows by their keys, whatever the planner thinks of it, in one round
   * trip: in autocommit, what is sent together is one transaction. A transaction of the caller
   * keeps the settings that it has.
   */
  public PreparedStatement prepareLimited(Connection connection, String query) throws SQLException {
    return connection.prepareStatement(joined == null ? SessionSettings.byKey(query) : query);
  }

  /** Runs what {@link #prepareLimited} prepared and returns what the query gave. */
  public ResultSet executeLimited(PreparedStatement statement) throws SQLException {
    if (joined != null) {
      return statement.executeQuery();
    }
    statement.execute();
    if (!statement.getMoreResults()) { // the first are those of the settings
      throw new SchedulerException("a query gave no rows but " + statement.getUpdateCount());
    }
    return statement.getResultSet();
  }

  /**
   * Does something in one transaction, at read committed. Repeated if it lost against another
   * transaction, so the work must have no effect but in the database.
   */
  public <T extends @Nullable Object> T inTransaction(String what, SqlFunction<T> work) {
    return joined == null
        ? call(what, connection -> transaction(connection, work))
        : call(what, work);
  }

  /**
   * Begins a transaction, in a connection without autocommit: at read committed and with the other
   * settings, whatever those of the session are.
   */
  public void begin(Connection connection) throws SQLException {
    settings.beginByKey(connection);
  }

  /**
   * Prepares the end of a transaction that is not ours, for our part of it: if the caller freezes,
   * the server soon ends the session and with it our locks; and the commit is durable.
   */
  public void beginProof(Connection connection) throws SQLException {
    SessionSettings.execute(connection, settings.proof());
  }

  private <T extends @Nullable Object> T call(String what, SqlFunction<T> work) {
    for (int conflicts = 0; ; conflicts++) {
      try {
        return lent(work);
      } catch (SQLException e) {
        if (SqlFailures.isConnectionFailure(e)) {
          brokenListeners.forEach(Runnable::run);
        }
        if (!repeats || !SqlFailures.isConflict(e) || conflicts == CONFLICTS) {
          throw SqlFailures.translate(what, e);
        }
        log.debug("{} lost against another transaction, trying again", what, e);
      }
    }
  }

  private <T extends @Nullable Object> T lent(SqlFunction<T> work) throws SQLException {
    if (joined != null) {
      return work.apply(joined);
    }
    Connection connection = pool.borrow();
    Throwable failure = null;
    try {
      return AutoCommit.during(
          connection, lent -> NetworkTimeout.during(lent, NETWORK_TIMEOUT, work));
    } catch (SQLException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      pool.giveBack(connection, failure);
    }
  }

  private <T extends @Nullable Object> T transaction(Connection connection, SqlFunction<T> work)
      throws SQLException {
    connection.setAutoCommit(false);
    try {
      begin(connection);
      T result = work.apply(connection);
      connection.commit();
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      rollback(connection, e);
      throw e;
    } finally {
      AutoCommit.set(connection, true);
    }
  }

  private static void rollback(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** Throws if a statement did not change as many rows as the caller had locked for it. */
  public static void expect(int wanted, int changed, String what) {
    if (wanted != changed) {
      throw new SchedulerException(
          what + " changed " + changed + " rows instead of " + wanted + "; nothing was done");
    }
  }
}
