package dev.monotick.postgres.connection;

import dev.monotick.error.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection that is nobody else's: no pool can starve it, and what its server session holds (a
 * lock) is held by this object. Opened when first needed and again after it broke; whoever relies
 * on what the session held asks {@link #generation} whether it is still the same one.
 *
 * <p>One call at a time; {@link #abort} and {@link #close} may come from any thread, at any time,
 * and never wait for the network.
 */
public final class Session implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Session.class);

  private final ConnectionSource source;
  private final SqlFunction<?> prepare;
  private final Object lock = new Object();
  private @Nullable Connection connection; // guarded by lock
  private long generation; // guarded by lock
  private long aborts; // guarded by lock
  private boolean closed; // guarded by lock

  /**
   * Creates a session that is not open yet.
   *
   * @param prepare done once with each new connection, before anything else
   */
  public Session(ConnectionSource source, SqlFunction<?> prepare) {
    this.source = source;
    this.prepare = prepare;
  }

  /**
   * Does something in the session, which is opened if need be. Any failure ends the session: what
   * it held is given up.
   *
   * @param timeout how long one answer of the server may take
   * @throws StoreException if it failed, or there is no connection
   */
  public <T extends @Nullable Object> T call(String what, Duration timeout, SqlFunction<T> work) {
    try {
      Connection current = open(timeout);
      current.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis()));
      return work.apply(current);
    } catch (SQLException e) {
      abort();
      throw SqlFailures.translate(what, e);
    } catch (RuntimeException | Error e) {
      abort(); // nobody knows in which state the connection is
      throw e;
    }
  }

  /** Returns which connection this is, counted from 1; 0 while there is none. */
  public long generation() {
    synchronized (lock) {
      return connection == null ? 0 : generation;
    }
  }

  /** Returns whether it was closed: it is never opened again. */
  boolean isClosed() {
    synchronized (lock) {
      return closed;
    }
  }

  /** Drops the connection, and with it whatever the session held, without a word to the server. */
  public void abort() {
    Connection dropped;
    synchronized (lock) {
      aborts++;
      dropped = connection;
      connection = null;
    }
    discard(dropped);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
    }
    abort();
  }

  private Connection open(Duration timeout) throws SQLException {
    long before;
    synchronized (lock) {
      if (closed) {
        throw new StoreException("the store is closed; build another one");
      }
      if (connection != null) {
        return connection;
      }
      before = aborts;
    }
    Connection fresh = source.open(); // may take long, so no lock is held
    try {
      fresh.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis()));
      fresh.setAutoCommit(true);
      Object ignored = prepare.apply(fresh);
    } catch (SQLException | RuntimeException e) {
      discard(fresh);
      throw e;
    }
    synchronized (lock) {
      if (!closed && aborts == before) {
        connection = fresh;
        generation++;
        return fresh;
      }
    }
    discard(fresh);
    throw new StoreException("the connection was given up while it was opened");
  }

  private static void discard(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException e) {
        log.debug("a connection could not be aborted", e);
      }
      try {
        connection.close(); // tells a pool that its place is free; the network is not needed for it
      } catch (SQLException e) {
        log.debug("a connection could not be given back", e);
      }
    }
  }
}
