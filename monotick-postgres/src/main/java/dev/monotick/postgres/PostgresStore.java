package dev.monotick.postgres;

import dev.monotick.postgres.job.PostgresJobStore;
import dev.monotick.postgres.job.admin.JobDecisions;
import dev.monotick.postgres.job.view.QueueHealth;
import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store in a PostgreSQL database, 14 or newer, shared by all replicas. Close it after the engines
 * that use it were stopped. Thread-safe.
 */
public final class PostgresStore implements Store, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PostgresStore.class);

  private final TickLedger ledger;
  private final MemberRegistry replicas;
  private final LeaderElection leaders;
  private final PostgresJobStore jobs;
  private final PostgresLeadership leadership;
  private final Deque<AutoCloseable> resources;

  /** What a store is made of. */
  record Components(
      TickLedger ledger,
      MemberRegistry replicas,
      LeaderElection leaders,
      PostgresJobStore jobs,
      PostgresLeadership leadership) {}

  PostgresStore(Components parts, Deque<AutoCloseable> resources) {
    this.ledger = parts.ledger();
    this.replicas = parts.replicas();
    this.leaders = parts.leaders();
    this.jobs = parts.jobs();
    this.leadership = parts.leadership();
    this.resources = new ArrayDeque<>(resources);
  }

  /** Begins a store. */
  public static PostgresStoreBuilder builder() {
    return new PostgresStoreBuilder();
  }

  @Override
  public TickLedger ledger() {
    return ledger;
  }

  @Override
  public MemberRegistry replicas() {
    return replicas;
  }

  @Override
  public LeaderElection leaders() {
    return leaders;
  }

  @Override
  public JobStore jobs() {
    return jobs;
  }

  /**
   * Returns operations on jobs that take part in the caller's transaction. Used by the server; not
   * part of the public API.
   *
   * @param connection a connection to the store's database with an open transaction
   */
  @SuppressWarnings("exports") // only the server calls this, from the class path
  public JobDecisions jobDecisions(Connection connection) {
    return jobs.decisions(connection);
  }

  /**
   * Returns what slows down the queues, with its cause: open snapshots and replication slots that
   * retain old rows, dead rows, and how long jobs wait. Cheap enough to call every few seconds.
   * Used by the server; not part of the public API.
   */
  @SuppressWarnings("exports") // only the server calls this, from the class path
  public QueueHealth.Report jobHealth() {
    return jobs.health();
  }

  /** Returns how leaders are elected: the choice that was made, never AUTO. */
  public PostgresLeadership leadership() {
    return leadership;
  }

  /** Closes all connections that are its own. */
  @Override
  public void close() {
    closeAll(resources);
  }

  /** Closes the newest first, and all of them whatever happens. */
  static void closeAll(Deque<AutoCloseable> resources) {
    while (!resources.isEmpty()) {
      try {
        resources.removeLast().close();
      } catch (Exception e) {
        log.debug("closing went on after a failure", e);
      }
    }
  }
}
