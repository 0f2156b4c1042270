package dev.monotick.chaos.replica;

import dev.monotick.job.store.JobStore;
import dev.monotick.leader.LeaderElection;
import dev.monotick.ledger.Ledger;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.Store;
import dev.monotick.time.TimeSource;

/**
 * The store with its ledger switched off: leaders are elected as ever, and each replica keeps its
 * own account of ticks. This is what people have who trust in "there is only one leader".
 */
final class UnguardedStore implements Store {

  private final Store store;
  private final Ledger ledger;

  UnguardedStore(Store store, TimeSource time) {
    this.store = store;
    this.ledger = new UnfencedLedger(InMemoryStore.builder().time(time).build().ledger());
  }

  @Override
  public Ledger ledger() {
    return ledger;
  }

  @Override
  public ReplicaRegistry replicas() {
    return store.replicas();
  }

  @Override
  public LeaderElection leaders() {
    return store.leaders();
  }

  @Override
  public JobStore jobs() {
    return store.jobs();
  }
}
