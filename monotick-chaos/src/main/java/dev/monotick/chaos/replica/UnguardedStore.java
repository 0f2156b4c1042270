package dev.monotick.chaos.replica;

import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.time.TimeSource;

/**
 * The store with its ledger switched off: leaders are elected as ever, and each replica keeps its
 * own account of ticks. This is what people have who trust in "there is only one leader".
 */
final class UnguardedStore implements Store {

  private final Store store;
  private final TickLedger ledger;

  UnguardedStore(Store store, TimeSource time) {
    this.store = store;
    this.ledger = new UnfencedLedger(InMemoryStore.builder().time(time).build().ledger());
  }

  @Override
  public TickLedger ledger() {
    return ledger;
  }

  @Override
  public MemberRegistry replicas() {
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
