package dev.monotick.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the few connections that one engine needs. No pool for applications: it knows no life times
 * and no validation. A connection that failed is dropped, and if the server went away the idle ones
 * are dropped with it, for they are as dead.
 */
public final class KeptPool implements Pool {

  private static final Logger log = LoggerFactory.getLogger(KeptPool.class);
  private static final int WAIT_SECONDS = 5;

  private final ConnectionSource source;
  private final int size;
  private final Semaphore permits;
  private final Deque<Connection> idle = new ArrayDeque<>(); // guarded by itself
  private boolean closed; // guarded by idle

  /** Creates one that has at most {@code size} connections. */
  public KeptPool(ConnectionSource source, int size) {
    this.source = source;
    this.size = size;
    this.permits = new Semaphore(size, true);
  }

  @Override
  public Connection borrow() throws SQLException {
    try {
      if (!permits.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new SQLTransientConnectionException(
            "no connection became free in " + WAIT_SECONDS + " s (connections=" + size + ")");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("interrupted while waiting for a connection", e);
    }
    boolean lent = false;
    try {
      Connection connection = kept();
      if (connection == null) {
        connection = source.open();
      }
      lent = true;
      return connection;
    } finally {
      if (!lent) {
        permits.release();
      }
    }
  }

  @Override
  public void giveBack(Connection connection, @Nullable Throwable failure) {
    boolean keep = failure == null || isUnharmed(connection, failure);
    synchronized (idle) {
      if (keep && !closed) {
        idle.addFirst(connection); // the last used one first, so that few are warm
        permits.release();
        return;
      }
    }
    permits.release();
    drop(connection);
    if (!keep) {
      dropIdle();
    }
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
    }
    dropIdle();
  }

  private @Nullable Connection kept() throws SQLException {
    synchronized (idle) {
      if (closed) {
        throw new SQLException("the store is closed; build another one", "08003");
      }
      return idle.pollFirst();
    }
  }

  /** Something was refused, by the server or by us, and the connection is as good as before. */
  private static boolean isUnharmed(Connection connection, Throwable failure) {
    boolean harmless =
        failure instanceof SQLException refusal
            ? !SqlFailures.isConnectionFailure(refusal)
            : failure instanceof RuntimeException;
    try {
      return harmless && !connection.isClosed() && connection.getAutoCommit();
    } catch (SQLException e) {
      return false;
    }
  }

  private void dropIdle() {
    List<Connection> dropped;
    synchronized (idle) {
      dropped = new ArrayList<>(idle);
      idle.clear();
    }
    dropped.forEach(KeptPool::drop);
  }

  private static void drop(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      log.debug("a connection could not be aborted", e);
    }
  }
}
