package dev.monotick.postgres;

import static java.util.Objects.requireNonNullElse;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.connection.ConnectionProfile;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.DataSourcePool;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.Pool;
import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.connection.UnnamedStatements;
import dev.monotick.postgres.job.PostgresJobStore;
import dev.monotick.postgres.leader.AdvisoryElection;
import dev.monotick.postgres.leader.Dialect;
import dev.monotick.postgres.leader.ElectionContext;
import dev.monotick.postgres.leader.ExclusionProbe;
import dev.monotick.postgres.leader.LeaseRowElection;
import dev.monotick.postgres.leader.PoolerProbe;
import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.postgres.ledger.PostgresLedger;
import dev.monotick.postgres.migration.MigrationReport;
import dev.monotick.postgres.notify.Notifications;
import dev.monotick.postgres.notify.PresenceSession;
import dev.monotick.postgres.replica.PostgresMembers;
import dev.monotick.postgres.schema.JobCountFolder;
import dev.monotick.postgres.schema.JobMaintenance;
import dev.monotick.postgres.schema.LedgerMaintenance;
import dev.monotick.postgres.schema.Migrations;
import dev.monotick.postgres.schema.ServerCheck;
import dev.monotick.postgres.schema.ServerFacts;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts a store together: looks first, then opens what is kept. Used once. */
final class StoreAssembly {

  private static final Logger log = LoggerFactory.getLogger(StoreAssembly.class);
  private static final Duration RETRY = Duration.ofMillis(500);
  private static final int CLOCK_READINGS = 5;

  private final StoreConfig config;
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private String server = ""; // which one it is, for the log

  StoreAssembly(StoreConfig config) {
    this.config = config;
  }

  MigrationReport migrate() {
    check();
    return migrations(!config.portable()).migrate();
  }

  PostgresStore build() {
    LedgerMaintenance maintenance =
        LedgerMaintenance.of(
            config.source(), config.schema(), config.retention()); // refuses bad values
    check();
    Findings findings = inspect();
    prepareSchema(findings);
    try {
      return open(maintenance, findings);
    } catch (RuntimeException | Error e) {
      PostgresStore.closeAll(resources);
      throw e;
    }
  }

  /**
   * What was found out about connections, before anything relies on them.
   *
   * @param pooler for the line that tells of the start
   * @param isPooled whether a pooler that keeps no sessions is before the connections for short
   *     transactions
   * @param obstacle why session locks cannot be relied on
   * @param locksExclude false if advisory locks are known not to exclude, or were not to be used
   */
  private record Findings(
      String pooler, boolean isPooled, Optional<String> obstacle, boolean locksExclude) {}

  private Findings inspect() {
    ConnectionBudget.of(!config.portable(), 1).requireForProbe(config);
    if (config.portable()) {
      return new Findings("not-looked-for", true, Optional.of("portable was chosen"), false);
    }
    Optional<String> own = PoolerProbe.findPooler(config.own());
    boolean isOne = config.source() == config.own();
    boolean isPooled = (isOne ? own : PoolerProbe.findPooler(config.source())).isPresent();
    String pooler = found(own.isPresent());
    if (isPooled != own.isPresent()) {
      pooler += "(" + (config.isPool() ? "dataSource:" : "url:") + found(isPooled) + ")";
    }
    Optional<String> flaw =
        own.isPresent() ? Optional.empty() : ExclusionProbe.findFlaw(config.own(), config.schema());
    return new Findings(
        pooler,
        isPooled,
        own.map(why -> "there is a pooler in between that keeps no sessions: " + why)
            .or(() -> flaw),
        flaw.isEmpty());
  }

  private static String found(boolean pooler) {
    return pooler ? "found" : "none";
  }

  private PostgresStore open(LedgerMaintenance maintenance, Findings findings) {
    boolean sessions = findings.obstacle().isEmpty();
    PostgresLeadership leadership =
        config.portable()
            ? PostgresLeadership.LEASE_ROW
            : config.leadership().resolve(findings.obstacle());
    ConnectionBudget.of(sessions, 1).require(config);
    SessionSettings settings = new SessionSettings(config.durableCommits());
    boolean plain = !sessions || findings.isPooled();
    ConnectionProfile pooled =
        plain || config.isPool() ? ConnectionProfile.SHARED : ConnectionProfile.OWN;
    Pool pool = keep(pool(plain, pooled, settings));
    ConnectionSource own = sessions ? config.own() : new UnnamedStatements(config.own());
    ConnectionProfile kept = sessions ? ConnectionProfile.OWN : ConnectionProfile.SHARED;
    Database database =
        new Database(pool, own, config.schema(), settings, new Database.Profiles(pooled, kept));
    report(StartReport.read(database, config.source()), findings.pooler(), leadership);
    DatabaseClock clock = new DatabaseClock(config.time());
    for (int i = 0; i < CLOCK_READINGS; i++) {
      read(database, clock);
    }
    Notifications notices =
        sessions
            ? keep(PresenceSession.start(database, config.schema(), UUID.randomUUID()))
            : Notifications.none();
    Dialect dialect = config.portable() ? Dialect.PORTABLE : Dialect.POSTGRES;
    PostgresLedger ledger =
        new PostgresLedger(
            database, dialect.timeline(), clock, new NotificationTickSignals(notices));
    PostgresMembers registry =
        keep(
            new PostgresMembers(
                database,
                clock,
                new PostgresMembers.Config(
                    config.membershipTiming(), config.time().ticker(), notices.presenceKey())));
    LeaderElection chosen =
        election(
            leadership,
            dialect,
            new ElectionContext(database, config.schema(), notices, config.time().ticker()));
    LeaderElection leaders = new BudgetedElection(chosen, config, database, sessions, 1);
    PostgresJobStore jobs =
        keep(new PostgresJobStore(database, clock, notices, dialect.timeline()));
    keep(
        new Upkeep(
            maintenance,
            JobMaintenance.of(config.source(), config.schema(), config.retention()),
            new JobCountFolder(database)));
    return new PostgresStore(
        new PostgresStore.Components(ledger, registry, leaders, jobs, leadership), resources);
  }

  private LeaderElection election(
      PostgresLeadership leadership, Dialect dialect, ElectionContext surroundings) {
    LeaseTiming timing = config.leaseTiming();
    return leadership == PostgresLeadership.LEASE_ROW
        ? keep(
            new LeaseRowElection(
                surroundings, dialect, requireNonNullElse(timing, LeaseRowElection.TIMING)))
        : keep(
            new AdvisoryElection(
                surroundings, requireNonNullElse(timing, AdvisoryElection.TIMING)));
  }

  private Pool pool(boolean plain, ConnectionProfile pooled, SessionSettings settings) {
    ConnectionSource source = plain ? new UnnamedStatements(config.source()) : config.source();
    if (config.isPool()) {
      return new DataSourcePool(source);
    }
    return new KeptPool(
        pooled == ConnectionProfile.OWN ? settings.applyTo(source, pooled) : source,
        config.connections());
  }

  private void report(StartReport report, String pooler, PostgresLeadership leadership) {
    report.warnings().forEach(warning -> log.warn("{} {}", server, warning));
    log.info(
        "{} schema={} {} pooler={} leadership={}",
        server,
        config.schema().text(),
        report.line(),
        pooler,
        leadership);
  }

  /** Waits for a server that is merely not there yet. */
  private void check() {
    long begun = config.time().nanos();
    for (boolean first = true; ; first = false) {
      try {
        ServerFacts facts = ServerCheck.of(config.source()).run();
        server =
            "database="
                + facts.database()
                + " role="
                + facts.role()
                + " version="
                + facts.versionName();
        return;
      } catch (StoreException e) {
        long left = config.startupTimeout().toNanos() - (config.time().nanos() - begun);
        if (left <= 0) {
          throw e;
        }
        if (first) {
          log.warn(
              "waiting up to {} for the database: {}", config.startupTimeout(), e.getMessage());
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      boolean unused = new CountDownLatch(1).await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for the database", e);
    }
  }

  private void prepareSchema(Findings findings) {
    Migrations migrations = migrations(findings.locksExclude());
    if (config.schemaChanges() == SchemaChanges.APPLY) {
      migrations.migrate();
    }
    migrations.verify();
  }

  private Migrations migrations(boolean locksExclude) {
    Migrations migrations = Migrations.of(config.source(), config.schema());
    return locksExclude ? migrations : migrations.portable();
  }

  private static void read(Database database, DatabaseClock clock) {
    long sent = clock.sendTime();
    clock.record(
        sent,
        database.once(
            "reading the clock",
            connection -> {
              try (PreparedStatement statement =
                      connection.prepareStatement("select clock_timestamp()");
                  ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getObject(1, OffsetDateTime.class).toInstant();
              }
            }));
  }

  private <T extends AutoCloseable> T keep(T resource) {
    resources.add(resource);
    return resource;
  }
}
