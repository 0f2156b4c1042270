package dev.monotick.postgres.difference;

import dev.monotick.memory.InMemoryStore;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.job.BackgroundScans;
import dev.monotick.postgres.schema.JobMaintenance;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.testkit.FakeTime;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A store in memory and one in a database, on clocks that move together. */
final class Stores implements AutoCloseable {

  /** Replicas are gone when they leave, so that the stores need not agree on how silence counts. */
  private static final LeaseTiming NEVER_SILENT =
      new LeaseTiming(
          Duration.ofDays(3_650), Duration.ofDays(1), Duration.ofDays(1), Duration.ofDays(400));

  /** A store keeps a little for each replica it ever saw, which {@code rescue} looks through. */
  private static final int WORLDS_PER_STORE = 40;

  private static final String EMPTY =
      """
      do $$
      declare name text;
      begin
        for name in
          select c.oid::regclass from pg_class c
           where c.relnamespace = '%1$s'::regnamespace and c.relkind in ('r', 'p')
             and c.relname like 'job%%' and c.relname not in ('job_rules_version', 'job_lane', 'job_upkeep_scan')
             and not c.relispartition
        loop
          execute 'delete from ' || name;
        end loop;
        delete from %1$s.replica;
        delete from %1$s.replica_gone;
        update %1$s.job_upkeep_scan set scanned_to = 0;
        update %1$s.job_rules_version set version = version + 1;
      end
      $$
      """;

  private final TestDatabase database = TestDatabase.on(TestDatabase.NEWEST);
  private final FakeTime time = new FakeTime();
  private final MovableClock clock = new MovableClock(database, time.now());
  private PostgresStore postgres = open();
  private long worlds;

  /** Returns both sides, empty: first the one in memory. */
  List<Side> fresh() {
    worlds++;
    if (worlds % WORLDS_PER_STORE == 0) {
      postgres.close();
      postgres = open();
    }
    database.execute(EMPTY.formatted(database.schema()));
    advance(Duration.ofSeconds(1)); // numbers of jobs grow with time
    InMemoryStore memory =
        InMemoryStore.builder().time(time.timeSource()).leaseTiming(NEVER_SILENT).build();
    Side first =
        new Side(
            "memory", memory, () -> {}, () -> memory.jobs().requeue(List.of(), "nobody"), worlds);
    return List.of(
        first,
        new Side(
            "postgres",
            postgres,
            () -> BackgroundScans.await(postgres.jobs()),
            clock::makeDue,
            worlds));
  }

  void advance(Duration by) {
    time.advance(by);
    clock.set(time.now());
  }

  /** Drops what ended so long ago, in the database. */
  void maintain(Duration retention) {
    var unused =
        JobMaintenance.of(
                () ->
                    DriverManager.getConnection(clock.url(), database.user(), database.password()),
                new SchemaName(database.schema()),
                retention)
            .run();
  }

  /** Opens a store and waits until it hears of jobs that are given to its replicas. */
  private PostgresStore open() {
    PostgresStore store = build();
    CountDownLatch listening = new CountDownLatch(1);
    store.jobs().onReady(queues -> listening.countDown());
    try {
      if (!listening.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("the store does not listen");
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
    return store;
  }

  private PostgresStore build() {
    return PostgresStore.builder()
        .url(clock.url())
        .user(database.user())
        .password(database.password())
        .schema(database.schema())
        .retention(Duration.ofDays(3_650))
        .membershipTiming(NEVER_SILENT)
        .time(time.timeSource())
        .build();
  }

  @Override
  public void close() {
    postgres.close();
    clock.close();
    database.close();
  }
}
