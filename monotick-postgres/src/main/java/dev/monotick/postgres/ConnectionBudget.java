package dev.monotick.postgres;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SecretMask;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections a store needs at once, and whether a data source lends that many. A pool
 * that is too small would let the store be built, and then let everything wait for a connection.
 *
 * @param sessions connections that heartbeats, notices and new jobs keep for good
 * @param groups leadership groups: each keeps one connection for good
 * @param brief connections for short transactions: with one, looking for jobs that claims passed
 *     over would delay the claims
 */
record ConnectionBudget(int sessions, int groups, int brief) {

  private static final Logger log = LoggerFactory.getLogger(ConnectionBudget.class);

  /** How long the data source may take to lend all of them. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int BRIEF = 2;

  /** How many connections {@code PoolerProbe} and {@code ExclusionProbe} use at once. */
  private static final int PROBE = 2;

  /**
   * Returns what a store needs.
   *
   * @param sessions whether there are sessions: one for heartbeats, one for notices and one for new
   *     jobs; without them, only heartbeats have a connection of their own
   * @param groups the leadership groups
   */
  static ConnectionBudget of(boolean sessions, int groups) {
    return new ConnectionBudget(sessions ? 3 : 1, groups, BRIEF);
  }

  /** Refuses data sources with which it cannot even be found out which connections there are. */
  void requireForProbe(StoreConfig config) {
    require(config, PROBE, PROBE, () -> 0);
  }

  /** Refuses data sources that lend too few connections at once. */
  void require(StoreConfig config) {
    require(config, ofSource(config), kept(), () -> 0);
  }

  /**
   * Refuses data sources that lend too few connections at once to keep them.
   *
   * @param open how many of those that are kept are open at the moment
   */
  void requireKept(StoreConfig config, IntSupplier open) {
    if (config.source() == config.own()) {
      require(config, ofSource(config), kept(), open);
    } else {
      require("directDataSource", config.own(), kept(), kept(), open);
    }
  }

  private void require(StoreConfig config, int fromSource, int fromOwn, IntSupplier open) {
    if (config.isPool()) {
      require("dataSource", config.source(), fromSource, ofSource(config), open);
    }
    if (config.source() != config.own()) {
      require("directDataSource", config.own(), Math.max(PROBE, fromOwn), kept(), open);
    }
  }

  private int kept() {
    return sessions + groups;
  }

  private int ofSource(StoreConfig config) {
    return config.source() == config.own() ? kept() + brief : brief;
  }

  private void require(
      String name, ConnectionSource source, int wanted, int needed, IntSupplier open) {
    Attempt attempt = new Attempt(source, wanted, open);
    Thread thread = new Thread(attempt, "monotick-connections");
    thread.setDaemon(true);
    thread.start(); // a pool that is exhausted may block for longer than is reasonable here
    int lent = attempt.await() + open.getAsInt();
    if (lent >= wanted) {
      return;
    }
    SQLException failure = attempt.failure();
    if (failure != null && SqlFailures.isServerUnavailable(failure)) {
      throw new StoreException(
          "the server refused connection "
              + (lent + 1)
              + " of "
              + needed
              + " of "
              + name
              + ": "
              + SqlFailures.describeCause(failure),
          failure);
    }
    throw new IllegalArgumentException(
        name
            + " lends only "
            + lent
            + (lent == 1 ? " connection" : " connections")
            + " at once, but "
            + needed
            + " are needed: "
            + reservations(needed)
            + "; raise its maximum size to "
            + needed
            + " or more (HikariCP: maximumPoolSize), and further for the work of the application; if"
            + " it is large enough, the server has no connection left",
        failure);
  }

  private String reservations(int needed) {
    String shortOnes = brief + " for short transactions";
    if (needed == brief) {
      return shortOnes;
    }
    return sessions
        + " for heartbeats, notifications and new jobs, one for each of "
        + groups
        + (groups == 1 ? " leadership group" : " leadership groups")
        + (needed == kept() ? "" : ", and " + shortOnes);
  }

  /** Borrows connections until there are enough of them, and gives all back. */
  private static final class Attempt implements Runnable {

    private final ConnectionSource source;
    private final int needed;
    private final IntSupplier open;
    private final CountDownLatch over = new CountDownLatch(1);
    private int lent; // guarded by this
    private boolean abandoned; // guarded by this
    private @Nullable SQLException failure; // guarded by this

    Attempt(ConnectionSource source, int needed, IntSupplier open) {
      this.source = source;
      this.needed = needed;
      this.open = open;
    }

    @Override
    public void run() {
      List<Connection> borrowed = new ArrayList<>();
      try {
        while (borrowed.size() + open.getAsInt() < needed && isWanted()) {
          borrowed.add(source.open());
          lent(borrowed.size());
        }
      } catch (SQLException e) {
        failed(SecretMask.scrub(e));
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
