package dev.monotick.store;

import dev.monotick.job.store.JobStore;
import dev.monotick.leader.LeaderElection;
import dev.monotick.ledger.Ledger;
import dev.monotick.replica.ReplicaRegistry;

/** What one backend offers to an engine: the same store gives the same tick to one replica only. */
public interface Store {

  /** Returns the ledger of ticks. */
  Ledger ledger();

  /** Returns the registry of the replicas that share this store. */
  ReplicaRegistry replicas();

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
