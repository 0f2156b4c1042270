package dev.monotick.postgres.leader;

import dev.monotick.leader.LeaderElection;
import dev.monotick.leader.LeaseTiming;
import dev.monotick.ledger.Ledger;
import dev.monotick.postgres.ServerTime;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.Store;
import dev.monotick.testkit.Capability;
import dev.monotick.testkit.StoreUnderTest;
import java.time.Duration;
import java.util.Set;

/** An election on a schema of its own, for the contract suite. */
record ElectionUnderTest(
    TestDatabase database,
    AutoCloseable resources,
    LeaderElection leaders,
    Set<Capability> capabilities)
    implements StoreUnderTest {

  /** Short, so that the suites are, but long enough for a machine that has more to do. */
  static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofMillis(1500),
          Duration.ofMillis(300),
          Duration.ofMillis(500),
          Duration.ofMillis(150));

  @Override
  public Store store() {
    return new Store() {
      @Override
      public Ledger ledger() {
        throw new UnsupportedOperationException("an election has no ledger");
      }

      @Override
      public ReplicaRegistry replicas() {
        throw new UnsupportedOperationException("an election has no registry");
      }

      @Override
      public LeaderElection leaders() {
        return leaders;
      }
    };
  }

  @Override
  public void letTimePass(Duration amount) {
    ServerTime.pass(amount);
  }

  @Override
  public void close() {
    try {
      resources.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    database.close();
  }
}
