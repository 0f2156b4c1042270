package dev.monotick.postgres;

import dev.monotick.leader.LeaseTiming;
import dev.monotick.store.Store;
import dev.monotick.testkit.Capability;
import dev.monotick.testkit.StoreUnderTest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** A store on a real server, with leases short enough to be waited for. */
final class PostgresUnderTest implements StoreUnderTest {

  static final LeaseTiming FAST =
      new LeaseTiming(
          Duration.ofMillis(1000),
          Duration.ofMillis(200),
          Duration.ofMillis(300),
          Duration.ofMillis(100));

  private final TestDatabase test;
  private final PostgresStore store;

  PostgresUnderTest(int major) {
    test = TestDatabase.on(major);
    store =
        PostgresStore.builder()
            .url(test.url())
            .user(test.user())
            .password(test.password())
            .schema(test.schema())
            .leaseTiming(FAST)
            .membershipTiming(FAST)
            .build();
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public void letTimePass(Duration amount) {
    try {
      Thread.sleep(amount.toMillis());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    store.close();
    test.close();
  }
}
