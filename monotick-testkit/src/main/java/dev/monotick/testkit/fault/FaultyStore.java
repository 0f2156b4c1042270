package dev.monotick.testkit.fault;

import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;

/**
 * One replica's way to a store in memory, which a test can break. What needs no exchange with the
 * store goes on while it is broken: the time, constants such as timings and effects, asking for
 * hints, and abandoning or closing a candidacy. Hints do not come through a broken link.
 * Thread-safe.
 */
public final class FaultyStore implements Store {

  private final FaultInjector faults;
  private final TickLedger ledger;
  private final MemberRegistry replicas;
  private final LeaderElection leaders;
  private final JobStore jobs;

  private FaultyStore(Store store, String name) {
    faults = new FaultInjector(name);
    ledger = new FaultyLedger(store.ledger(), faults);
    replicas = new FaultyRegistry(store.replicas(), faults);
    leaders = new FaultyElection(store.leaders(), faults);
    jobs = new FaultyJobStore(store.jobs(), faults);
  }

  /** Returns a new view of a store in memory, which can be cut. */
  public static FaultyStore to(Store store) {
    return to(store, "link");
  }

  /** Returns a new view of a store in memory, which can be cut; exceptions name it so. */
  public static FaultyStore to(Store store, String name) {
    return new FaultyStore(store, name);
  }

  /**
   * Lets every call fail with a {@link dev.monotick.error.StoreException}, without any effect,
   * until {@link #heal}.
   */
  public void cut() {
    faults.cut();
  }

  /**
   * Lets every call take effect and then fail with a {@link dev.monotick.error.StoreException},
   * until {@link #heal}.
   */
  public void loseReplies() {
    faults.loseReplies();
  }

  /** Makes the link whole again. */
  public void heal() {
    faults.heal();
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

  @Override
  public String toString() {
    return faults.toString();
  }
}
