package dev.monotick.postgres;

import dev.monotick.leader.LeaderElection;
import dev.monotick.leader.LeaseTiming;
import dev.monotick.ledger.Ledger;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.postgres.ledger.PostgresLedger;
import dev.monotick.postgres.ledger.WaitingHints;
import dev.monotick.postgres.replica.PostgresRegistry;
import dev.monotick.postgres.schema.Migrations;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.Store;
import dev.monotick.testkit.Capability;
import dev.monotick.testkit.StoreUnderTest;
import dev.monotick.time.TimeSource;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;

final class PostgresUnderTest implements StoreUnderTest {

  static final LeaseTiming FAST =
      new LeaseTiming(
          Duration.ofMillis(1000),
          Duration.ofMillis(200),
          Duration.ofMillis(300),
          Duration.ofMillis(100));

  private final TestDatabase test;
  private final KeptPool pool;
  private final PostgresRegistry registry;
  private final Store store;

  PostgresUnderTest(int major) {
    test = TestDatabase.on(major);
    SchemaName schema = new SchemaName(test.schema());
    Migrations.of(test::connect, schema).migrate();
    pool = new KeptPool(test::connect, 8);
    Database database = new Database(pool, test::connect, schema);
    TimeSource time = TimeSource.system();
    DatabaseClock clock = new DatabaseClock(time);
    Ledger ledger = new PostgresLedger(database, "1::bigint", clock, WaitingHints.none());
    registry =
        new PostgresRegistry(
            database,
            clock,
            new PostgresRegistry.Config(FAST, time.ticker(), OptionalLong.empty()));
    store =
        new Store() {
          @Override
          public Ledger ledger() {
            return ledger;
          }

          @Override
          public ReplicaRegistry replicas() {
            return registry;
          }

          @Override
          public LeaderElection leaders() {
            throw new UnsupportedOperationException();
          }
        };
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
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
    registry.close();
    pool.close();
    test.close();
  }
}
