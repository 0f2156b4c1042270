package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.postgres.connection.SqlFunction;
import dev.monotick.postgres.migration.MigrationReport;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema to the version that this code needs, or hands out the SQL that does. Any number
 * of replicas may migrate at once: one does the work, the others wait for it and find nothing left
 * to do.
 *
 * <p>All pending steps, and the rows of the table {@code migration} that record them, are one
 * transaction under a lock that ends with it: whoever dies in the middle leaves nothing behind, and
 * a pooler that hands out a server connection per transaction is no obstacle.
 *
 * <p>During a rolling upgrade, older code meets a schema that newer code has migrated. Each step
 * records the oldest version that code must know to work with the result ({@code
 * min_code_version}); code that knows less is refused, other code goes on.
 *
 * <p>Immutable, and thread-safe if its source is.
 */
public final class Migrations {

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);

  /** How long one statement of a step may take. */
  private static final Duration STATEMENT_TIMEOUT = Duration.ofMinutes(10);

  /** How often it is tried where conflicts with others are settled by an error, not by waiting. */
  private static final int PORTABLE_ATTEMPTS = 5;

  private final ConnectionSource source;
  private final MigrationPlan plan;

  Migrations(ConnectionSource source, MigrationPlan plan) {
    this.source = source;
    this.plan = plan;
  }

  /** Returns the migrations of a schema, on connections from that source. */
  public static Migrations of(ConnectionSource source, SchemaName schema) {
    return new Migrations(
        source, new MigrationPlan(schema, Migration.ALL, Duration.ofMinutes(1), false, null));
  }

  /**
   * Returns the migrations of a schema that somebody else keeps beside ours, by the same rules.
   *
   * @param home the class beside which the files are found
   * @param files names such as {@code V1__what.sql}, in order and without gaps; several parts of
   *     one version are named {@code V1__what.part.sql}
   */
  public static Migrations of(
      ConnectionSource source, SchemaName schema, Class<?> home, List<String> files) {
    List<Migration> steps = Migration.ofResources(home, files);
    return new Migrations(
        source, new MigrationPlan(schema, steps, Duration.ofMinutes(1), false, null));
  }

  /**
   * Returns the same with another limit on the wait for somebody else who migrates: 1 ms to 5 min,
   * 1 min by default.
   */
  public Migrations lockTimeout(Duration lockTimeout) {
    return new Migrations(source, plan.withLockTimeout(lockTimeout));
  }

  /**
   * Returns the same for databases without advisory locks: those who migrate at once then meet at
   * the primary key of the table {@code migration}, and all but one of them try again.
   */
  public Migrations portable() {
    return new Migrations(source, plan.withoutAdvisoryLocks());
  }

  /** Returns the same, which also grants a role all that a replica needs; see {@link #grants}. */
  public Migrations runtimeRole(String role) {
    return new Migrations(source, plan.withRuntimeRole(role));
  }

  /**
   * Applies what is pending and returns what was done. If nothing is, only reads, so that a role
   * without any right to change the schema may call it.
   *
   * @throws SchemaException if the schema is changed, too new or out of reach for this role
   * @throws dev.monotick.error.StoreException if the database did not answer; trying again finds
   *     out what happened
   */
  public MigrationReport migrate() {
    for (int attempt = 1; ; attempt++) {
      SchemaState before = read(connection -> SchemaState.read(connection, plan));
      before.check(plan.known());
      if (before.isComplete(plan)) {
        return new MigrationReport(
            plan.schema().text(), before.version(), before.version(), List.of(), attempt > 1);
      }
      MigrationRun run = new MigrationRun(plan);
      try {
        MigrationReport report =
            new MigrationTransaction(plan.lockTimeout(), STATEMENT_TIMEOUT).run(source, run);
        log.info(
            "schema={} migrated: from={} to={} applied={} waited={}",
            plan.schema().text(),
            report.from(),
            report.to(),
            report.applied(),
            report.waited());
        return report;
      } catch (SQLException e) {
        if (!plan.portable() || !MigrationFailures.isLostRace(e) || attempt == PORTABLE_ATTEMPTS) {
          throw new MigrationFailures(source, plan, before).explain(run, e);
        }
        log.info(
            "schema={} was migrated by another replica: {}",
            plan.schema().text(),
            SqlFailures.describe(e));
      }
    }
  }

  /**
   * Refuses a schema that this code can't work with as this role, and changes nothing.
   *
   * @throws SchemaException if a migration is pending, was changed, or is too new, or a privilege
   *     is missing
   */
  public void verify() {
    SchemaState state = read(connection -> SchemaState.read(connection, plan));
    state.check(plan.known());
    if (!state.pending(plan.known()).isEmpty()) {
      throw new SchemaException(
          state.where()
              + " has version "
              + state.version()
              + ", and this code needs version "
              + plan.version()
              + "; migrate it as its owner, or apply the SQL from Migrations.sqlFrom("
              + state.version()
              + ")");
    }
    List<String> missing = read(connection -> grantsFor(state.role()).missing(connection));
    if (!missing.isEmpty()) {
      throw new SchemaException(
          "role "
              + state.role()
              + " lacks privileges on "
              + state.where()
              + "; let its owner run: "
              + String.join(" ", missing));
    }
  }

  /**
   * Returns a complete script for a database without the schema: for those who migrate by other
   * means. It is one transaction and records what it did, so that replicas find the schema up to
   * date.
   */
  public String sql() {
    return sqlFrom(0);
  }

  /**
   * Returns the script that brings a schema from that version to the newest. It changes nothing if
   * the schema has another version.
   */
  public String sqlFrom(int version) {
    if (version < 0 || version > plan.version()) {
      throw new IllegalArgumentException(
          "version must be 0 to " + plan.version() + ", but was " + version);
    }
    return new MigrationScript(plan).from(version);
  }

  /**
   * Returns the statements that grant a role what a replica needs, and no more: it can neither
   * create nor change tables.
   */
  public String grants(String role) {
    return String.join("\n", grantsFor(role).all()) + "\n";
  }

  private SchemaGrants grantsFor(String role) {
    return new SchemaGrants(plan.schema(), role);
  }

  private <T> T read(SqlFunction<T> query) {
    try {
      return new MigrationTransaction(Duration.ofSeconds(5), Duration.ofSeconds(10))
          .run(source, query);
    } catch (SQLException e) {
      throw MigrationFailures.reading(plan, e);
    }
  }
}
