package dev.monotick.spi;

import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;

/** What one backend offers to an engine: the same store gives the same tick to one replica only. */
public interface Store {

  /** Returns the ledger of ticks. */
  TickLedger ledger();

  /** Returns the registry of the replicas that share this store. */
  MemberRegistry replicas();

  /** Returns the election of leaders that this store offers. */
  LeaderElection leaders();

  /**
   * Returns the jobs.
   *
   * @throws UnsupportedOperationException if this store keeps none
   */
  default JobStore jobs() {
    throw new UnsupportedOperationException(
        "this store keeps no jobs; use PostgresStore or InMemoryStore");
  }
}
