package dev.monotick.postgres;

import dev.monotick.job.store.JobStore;
import dev.monotick.leader.LeaderElection;
import dev.monotick.ledger.Ledger;
import dev.monotick.postgres.job.JobDecisions;
import dev.monotick.postgres.job.JobHealth;
import dev.monotick.postgres.job.PostgresJobStore;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.Store;
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

  private final Ledger ledger;
  private final ReplicaRegistry replicas;
  private final LeaderElection leaders;
  private final PostgresJobStore jobs;
  private final PostgresLeadership leadership;
  private final Deque<AutoCloseable> resources;

  /** What a store is made of. */
  record Parts(
      Ledger ledger,
      ReplicaRegistry replicas,
      LeaderElection leaders,
      PostgresJobStore jobs,
      PostgresLeadership leadership) {}

  PostgresStore(Parts parts, Deque<AutoCloseable> resources) {
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
  public Ledger ledger() {
    return ledger;
  }

  @Override
  public ReplicaRegistry replicas() {
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
   * Returns what decides about jobs in a transaction of the caller's.
   *
   * @param connection leads to the database of the store, and has a transaction open
   */
  public JobDecisions jobDecisions(Connection connection) {
    return jobs.decisions(connection);
  }

  /**
   * Returns what makes queues in a database slow, with the name of who does it: open snapshots,
   * slots and the like that keep old rows, rows not removed yet, and how long jobs wait. May be
   * asked every few seconds.
   */
  public JobHealth.Report jobHealth() {
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
