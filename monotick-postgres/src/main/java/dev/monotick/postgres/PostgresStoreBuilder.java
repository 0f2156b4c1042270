package dev.monotick.postgres;

import static java.util.Objects.requireNonNull;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.DirectSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.migration.MigrationReport;
import dev.monotick.postgres.replica.PostgresMembers;
import dev.monotick.postgres.schema.Migrations;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link PostgresStore}. A {@link #url} or a {@link #dataSource} must be given, all else
 * has a default. Not thread-safe.
 */
public final class PostgresStoreBuilder {

  private @Nullable String url;
  private @Nullable String user;
  private @Nullable String password;
  private @Nullable DataSource dataSource;
  private @Nullable DataSource directDataSource;
  private SchemaName schema = SchemaName.DEFAULT;
  private PostgresLeadership leadership = PostgresLeadership.AUTO;
  private SchemaChanges schemaChanges = SchemaChanges.APPLY;
  private boolean portable;
  private Duration retention = Duration.ofDays(30);
  private Duration startupTimeout = Duration.ofSeconds(10);
  private @Nullable LeaseTiming leaseTiming;
  private LeaseTiming membershipTiming = PostgresMembers.DEFAULT_TIMING;
  private int connections = 8;
  private boolean durableCommits = true;
  private TimeSource time = TimeSource.system();

  PostgresStoreBuilder() {}

  /** Where the database is, as {@code jdbc:postgresql://host:5432/database}. */
  public PostgresStoreBuilder url(String url) {
    this.url = requireNonNull(url, "url");
    return this;
  }

  /** Who connects by the URL. */
  public PostgresStoreBuilder user(String user) {
    this.user = requireNonNull(user, "user");
    return this;
  }

  /** That user's password. Never logged, nor part of any message. */
  public PostgresStoreBuilder password(String password) {
    this.password = requireNonNull(password, "password");
    return this;
  }

  /**
   * The application's own data source, usually a pool, instead of a URL. It must lend at least six
   * connections at once, or {@link #build} refuses it: three that are kept for good, one more for
   * each leadership group, and two for short transactions; a busy engine uses up to eight for
   * those. An engine whose tasks need more groups than it has connections for is refused when it is
   * built. With a {@link #directDataSource} two are enough, and the others come from there.
   */
  public PostgresStoreBuilder dataSource(DataSource dataSource) {
    this.dataSource = requireNonNull(dataSource, "dataSource");
    return this;
  }

  /**
   * Where connections come from that are kept for good, for leases and notices: past any pooler,
   * and not from a pool. By default the URL or data source of everything else.
   */
  public PostgresStoreBuilder directDataSource(DataSource directDataSource) {
    this.directDataSource = requireNonNull(directDataSource, "directDataSource");
    return this;
  }

  /** The schema of the tables; {@code monotick} by default. All replicas must say the same. */
  public PostgresStoreBuilder schema(String schema) {
    this.schema = new SchemaName(schema);
    return this;
  }

  /** How leaders are elected; by default as fits the connections. */
  public PostgresStoreBuilder leadership(PostgresLeadership leadership) {
    this.leadership = requireNonNull(leadership, "leadership");
    return this;
  }

  /** Who brings the schema up to date; by default whichever replica starts first. */
  public PostgresStoreBuilder schemaChanges(SchemaChanges schemaChanges) {
    this.schemaChanges = requireNonNull(schemaChanges, "schemaChanges");
    return this;
  }

  /**
   * Whether to use nothing that belongs to a session: no advisory locks, no LISTEN, no prepared
   * statements, leadership by lease row, and polling. For poolers and for databases that speak
   * PostgreSQL's language; false by default. Takeovers are slower.
   */
  public PostgresStoreBuilder portable(boolean portable) {
    this.portable = portable;
    return this;
  }

  /** How long ticks and jobs stay on record; 30 days by default, at least one. */
  public PostgresStoreBuilder retention(Duration retention) {
    this.retention = requireNonNull(retention, "retention");
    return this;
  }

  /**
   * How long {@link #build} goes on trying while the server cannot be reached or is starting up; 10
   * seconds by default, zero to try once. What only people can mend is told at once.
   */
  public PostgresStoreBuilder startupTimeout(Duration startupTimeout) {
    if (startupTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "startupTimeout must not be negative, but was "
              + startupTimeout
              + "; use PT0S to try once");
    }
    this.startupTimeout = startupTimeout;
    return this;
  }

  /** The timing of leadership; by default the one that the way of election is meant for. */
  public PostgresStoreBuilder leaseTiming(LeaseTiming leaseTiming) {
    this.leaseTiming = requireNonNull(leaseTiming, "leaseTiming");
    return this;
  }

  /** The timing of membership: when a silent replica is taken for dead. */
  public PostgresStoreBuilder membershipTiming(LeaseTiming membershipTiming) {
    this.membershipTiming = requireNonNull(membershipTiming, "membershipTiming");
    return this;
  }

  /**
   * How many connections are opened at most for short transactions, if by URL; 8 by default, at
   * least 2: with one, looking for jobs that claims passed over would delay the claims.
   */
  public PostgresStoreBuilder connections(int connections) {
    if (connections < 2 || connections > 1000) {
      throw new IllegalArgumentException(
          "connections must be 2 to 1000, but was " + connections + "; 8 is right for most");
    }
    this.connections = connections;
    return this;
  }

  /**
   * Whether transactions that decide something (claims, terms, completions, new jobs) are on disk
   * before they count, even where {@code synchronous_commit} is off for the server, the database or
   * the role; true by default. With false that setting is left as it is: if it is off, a crash of
   * the server can undo what was acknowledged moments before it, and a tick or a job can then run
   * again. Leases stay durable, except with {@link #portable}.
   */
  public PostgresStoreBuilder durableCommits(boolean durableCommits) {
    this.durableCommits = durableCommits;
    return this;
  }

  /** The clocks; by default those of this process. */
  public PostgresStoreBuilder time(TimeSource time) {
    this.time = requireNonNull(time, "time");
    return this;
  }

  /**
   * Connects, checks the server, brings the schema up to date or checks it, and chooses how leaders
   * are elected.
   *
   * @throws IllegalArgumentException if something is missing, wrong or contradicts
   * @throws dev.monotick.postgres.migration.SchemaException if somebody has to act first: a wrong
   *     password, a server that is too old, a missing privilege
   * @throws dev.monotick.error.StoreException if the server did not answer in time
   */
  public PostgresStore build() {
    return new StoreAssembly(config()).build();
  }

  /**
   * Brings the schema up to date and does nothing else: for a step of a deployment that runs before
   * the replicas, under a role that may change tables.
   */
  public MigrationReport migrate() {
    return new StoreAssembly(config()).migrate();
  }

  /** Returns the SQL that {@link #migrate} would run on an empty database. */
  public String migrationSql() {
    return Migrations.of(
            () -> {
              throw new IllegalStateException("the text of migrations needs no connection");
            },
            schema)
        .sql();
  }

  private StoreConfig config() {
    ConnectionSource source = source();
    if (portable && leadership == PostgresLeadership.ADVISORY_LEASE) {
      throw new IllegalArgumentException(
          "portable contradicts leadership ADVISORY_LEASE, which is a lock of a session; leave one"
              + " of them out");
    }
    DataSource direct = directDataSource;
    return new StoreConfig(
        source,
        dataSource != null,
        direct == null ? source : direct::getConnection,
        schema,
        leadership,
        schemaChanges,
        portable,
        retention,
        startupTimeout,
        leaseTiming,
        membershipTiming,
        connections,
        durableCommits,
        time);
  }

  private ConnectionSource source() {
    DataSource given = dataSource;
    if ((url == null) == (given == null)) {
      throw new IllegalArgumentException(
          url == null
              ? "url is missing; give url(..) or dataSource(..), or start an EmbeddedPostgres and"
                  + " give its url"
              : "url and dataSource contradict; leave one of them out");
    }
    if (given == null) {
      return new DirectSource(requireNonNull(url), user, password);
    }
    if (user != null || password != null) {
      throw new IllegalArgumentException(
          "user and password belong to url, but a dataSource was given; leave them out");
    }
    return given::getConnection;
  }
}
