package dev.monotick.chaos.replica;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The application's own connections, of which there are few: what a body does in a transaction, it
 * does by one of these. They can all be taken away for a while. Thread-safe.
 */
final class AppPool extends PGSimpleDataSource {

  private static final long serialVersionUID = 1L;
  private static final int SIZE = 6;
  private static final int WAIT_SECONDS = 2;

  private final transient Semaphore free = new Semaphore(SIZE);

  static AppPool of(ReplicaProcessSettings settings) {
    AppPool pool = new AppPool();
    pool.setUrl(settings.url());
    pool.setUser(settings.user());
    pool.setPassword(settings.password());
    pool.setConnectTimeout(2);
    pool.setLoginTimeout(2);
    pool.setSocketTimeout(5);
    return pool;
  }

  @Override
  public Connection getConnection() throws SQLException {
    boolean mine;
    try {
      mine = free.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for a connection", e);
    }
    if (!mine) {
      throw new SQLException("no connection free of " + SIZE + " after " + WAIT_SECONDS + " s");
    }
    try {
      return BorrowedConnection.of(super.getConnection(), free::release);
    } catch (SQLException | RuntimeException e) {
      free.release();
      throw e;
    }
  }

  /** Takes all connections as they become free, and gives them back after that time. */
  void exhaust(Duration lasting) {
    int taken = 0;
    long end = System.nanoTime() + lasting.toNanos();
    while (System.nanoTime() - end < 0) {
      taken += free.tryAcquire() ? 1 : 0;
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
    }
    free.release(taken);
  }
}
