package dev.monotick.postgres;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.Secrets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections a store needs at once, and whether a data source lends that many. A pool
 * that is too small would let the store be built, and then let everything wait for a connection.
 *
 * @param kept connections that are kept for good, with handlers and one leadership group
 * @param brief connections for short transactions: with fewer nothing works at all
 */
record ConnectionBudget(int kept, int brief) {

  private static final Logger log = LoggerFactory.getLogger(ConnectionBudget.class);

  /** How long the data source may take to lend all of them. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Returns what a store needs to find out which connections it has. */
  static ConnectionBudget toProbe() {
    return new ConnectionBudget(0, 2);
  }

  /**
   * Returns what a store needs.
   *
   * @param sessions whether there are sessions: one for heartbeats, one for notices and one for new
   *     jobs, and one for the lease of a group; without them, only heartbeats and leases have
   *     connections of their own
   */
  static ConnectionBudget of(boolean sessions) {
    return new ConnectionBudget(sessions ? 4 : 2, 1);
  }

  /** Refuses data sources that lend too few connections at once. */
  void require(StoreConfig config) {
    boolean isOne = config.source() == config.own();
    if (config.isPool()) {
      require("dataSource", config.source(), isOne ? kept + brief : Math.max(2, brief));
    }
    if (!isOne) {
      require("directDataSource", config.own(), Math.max(2, kept));
    }
  }

  private void require(String name, ConnectionSource source, int needed) {
    Attempt attempt = new Attempt(source, needed);
    Thread thread = new Thread(attempt, "monotick-connections");
    thread.setDaemon(true);
    thread.start(); // a pool that is exhausted may block for longer than is reasonable here
    int lent = attempt.await();
    if (lent < needed) {
      throw new IllegalArgumentException(
          name
              + " lends only "
              + lent
              + (lent == 1 ? " connection" : " connections")
              + " at once, but "
              + needed
              + " are needed: one for each session that the store keeps, and one or two for short"
              + " transactions; raise its maximum size to "
              + needed
              + " or more (HikariCP: maximumPoolSize), and further for the work of the application"
              + " and for more leadership groups",
          attempt.failure());
    }
  }

  /** Borrows connections until there are enough of them, and gives all back. */
  private static final class Attempt implements Runnable {

    private final ConnectionSource source;
    private final int needed;
    private final CountDownLatch over = new CountDownLatch(1);
    private int lent; // guarded by this
    private boolean abandoned; // guarded by this
    private @Nullable SQLException failure; // guarded by this

    Attempt(ConnectionSource source, int needed) {
      this.source = source;
      this.needed = needed;
    }

    @Override
    public void run() {
      List<Connection> borrowed = new ArrayList<>();
      try {
        while (borrowed.size() < needed && isWanted()) {
          borrowed.add(source.open());
          lent(borrowed.size());
        }
      } catch (SQLException e) {
        failed(Secrets.scrub(e));
      } finally {
        borrowed.forEach(Attempt::giveBack);
        over.countDown();
      }
    }

    private static void giveBack(Connection connection) {
      try {
        connection.close();
      } catch (SQLException e) {
        log.debug("a connection could not be given back", e);
      }
    }

    /** Returns how many were lent at once. */
    int await() {
      try {
        boolean unused = over.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      synchronized (this) {
        abandoned = true;
        return lent;
      }
    }

    synchronized @Nullable SQLException failure() {
      return failure;
    }

    private synchronized boolean isWanted() {
      return !abandoned;
    }

    private synchronized void lent(int count) {
      lent = count;
    }

    private synchronized void failed(SQLException e) {
      failure = e;
    }
  }
}
