package dev.monotick.testkit.contract;

import dev.monotick.spi.Store;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.testkit.FakeTime;
import java.time.Duration;
import java.util.Set;

/**
 * A store as the contract suites need it: new and empty for each test. Written once for each
 * backend.
 */
public interface StoreUnderTest extends AutoCloseable {

  /** {@return the store} */
  Store store();

  /**
   * {@return the store as another process sees it, which knows of replicas only what is stored}
   * Closed with this. The same store where processes cannot share one.
   */
  default Store storeOfAnotherProcess() {
    return store();
  }

  /** {@return what this backend offers beyond what each must} */
  Set<Capability> capabilities();

  /**
   * Lets time pass for the store, by its clock and its leases. Moves a {@link FakeTime}; really
   * waits only where a server owns the clock.
   *
   * @param amount how much
   */
  void letTimePass(Duration amount);

  /**
   * Ends the {@linkplain dev.monotick.spi.replica.MemberRegistry#REJOIN_GRACE grace} of processes
   * that joined again. Lets that time pass, unless the backend can do it faster.
   */
  default void endRejoinGrace() {
    letTimePass(MemberRegistry.REJOIN_GRACE);
  }

  /** Frees what the store holds. */
  @Override
  void close();
}
