package dev.monotick.postgres;

import dev.monotick.postgres.replica.PostgresMembers;
import dev.monotick.spi.Store;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.testkit.contract.Capability;
import dev.monotick.testkit.contract.StoreUnderTest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store on a real server, with leases short enough to be waited for. */
final class PostgresUnderTest implements StoreUnderTest {

  /** A little longer: here the contract counts on the machine not to stand still for a lease. */
  private static final LeaseTiming LEADERS =
      new LeaseTiming(
          Duration.ofMillis(2000),
          Duration.ofMillis(300),
          Duration.ofMillis(700),
          Duration.ofMillis(200));

  private static final LeaseTiming SHORT =
      new LeaseTiming(
          Duration.ofMillis(1200),
          Duration.ofMillis(200),
          Duration.ofMillis(400),
          Duration.ofMillis(150));

  private final PreparedSchemas.Prepared prepared;
  private final Supplier<PostgresStore> opening;
  private final PostgresStore store;
  private @Nullable PostgresStore second; // as another process would have
  private final Set<Capability> capabilities;

  private PostgresUnderTest(
      PreparedSchemas.Prepared prepared,
      String url,
      Set<Capability> capabilities,
      UnaryOperator<PostgresStoreBuilder> options) {
    this.prepared = prepared;
    TestDatabase direct = prepared.database();
    this.capabilities = capabilities;
    this.opening =
        () ->
            options
                .apply(
                    PostgresStore.builder()
                        .url(url)
                        .user(direct.user())
                        .password(direct.password())
                        .schema(direct.schema())
                        .leaseTiming(LEADERS)
                        .membershipTiming(SHORT))
                .build();
    this.store = opening.get();
  }

  /** Returns a store on direct connections. */
  static PostgresUnderTest direct(int major, PostgresLeadership leadership) {
    PreparedSchemas.Prepared prepared = PreparedSchemas.take(major);
    return new PostgresUnderTest(
        prepared,
        prepared.database().url(),
        EnumSet.allOf(Capability.class),
        builder -> builder.leadership(leadership));
  }

  /** Returns a store whose replicas are not taken for dead while a test of jobs is slow. */
  static PostgresUnderTest forJobs(int major) {
    PreparedSchemas.Prepared prepared = PreparedSchemas.take(major);
    return new PostgresUnderTest(
        prepared,
        prepared.database().url(),
        EnumSet.allOf(Capability.class),
        builder -> builder.membershipTiming(PostgresMembers.DEFAULT_TIMING));
  }

  /** Returns a store that uses nothing of a session. */
  static PostgresUnderTest portable(int major) {
    PreparedSchemas.Prepared prepared = PreparedSchemas.take(major);
    return new PostgresUnderTest(
        prepared,
        prepared.database().url(),
        EnumSet.of(Capability.FENCES_IN_LEDGER),
        builder -> builder.portable(true));
  }

  /** Returns a store that finds out by itself that there is a pooler in between. */
  static PostgresUnderTest behind(PgBouncer pooler, int major) {
    return new PostgresUnderTest(
        PreparedSchemas.take(major),
        pooler.database().url(),
        EnumSet.of(Capability.FENCES_IN_LEDGER),
        builder -> builder);
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Store storeOfAnotherProcess() {
    if (second == null) {
      second = opening.get();
    }
    return second;
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public void letTimePass(Duration amount) {
    ServerTime.pass(amount);
  }

  @Override
  public void endRejoinGrace() {
    TestDatabase direct = prepared.database();
    direct.execute(
        "update "
            + direct.schema()
            + ".replica set rejoined_at = rejoined_at - interval '"
            + MemberRegistry.REJOIN_GRACE.toSeconds()
            + " seconds'");
  }

  @Override
  public void close() {
    store.close();
    if (second != null) {
      second.close();
    }
    prepared.giveBack();
  }
}
