package dev.monotick.postgres.schema;

import dev.monotick.SchedulerException;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema to the version that this code needs. Any number of replicas may call it at
 * once: one does the work, the others wait for it and find nothing left to do.
 *
 * <p>All pending steps, and the rows of the table {@code migration} that record them, are one
 * transaction under a lock that ends with it: whoever dies in the middle leaves nothing behind, and
 * a pooler that hands out a server connection per transaction is no obstacle. Immutable, and
 * thread-safe if its source is.
 */
public final class Migrations {

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);

  /** How long one statement of a step may take. */
  private static final Duration STATEMENT_TIMEOUT = Duration.ofMinutes(10);

  private final ConnectionSource source;
  private final SchemaName schema;
  private final List<Migration> known;
  private final Duration lockTimeout;

  Migrations(
      ConnectionSource source, SchemaName schema, List<Migration> known, Duration lockTimeout) {
    this.source = source;
    this.schema = schema;
    this.known = known;
    this.lockTimeout = lockTimeout;
  }

  /** Returns the migrations of a schema, on connections from that source. */
  public static Migrations of(ConnectionSource source, SchemaName schema) {
    return new Migrations(source, schema, Migration.ALL, Duration.ofMinutes(1));
  }

  /** Returns the same with another limit on the wait for a replica that migrates; default 1 min. */
  public Migrations lockTimeout(Duration lockTimeout) {
    return new Migrations(source, schema, known, lockTimeout);
  }

  /**
   * Applies what is pending and returns what was done. If nothing is, only reads, so that a role
   * without any right to change the schema may call it.
   *
   * @throws SchemaException if the schema is changed, too new or out of reach for this role
   * @throws dev.monotick.store.StoreException if the database did not answer
   */
  public MigrationReport migrate() {
    SchemaState before = read();
    before.check(known);
    if (before.pending(known).isEmpty()) {
      return new MigrationReport(schema, before.version(), before.version(), List.of(), false);
    }
    try {
      MigrationReport report =
          new Transaction(lockTimeout, STATEMENT_TIMEOUT).run(source, this::migrateLocked);
      log.info(
          "schema={} migrated from={} to={} applied={} waited={}",
          schema.text(),
          report.from(),
          report.to(),
          report.applied(),
          report.waited());
      return report;
    } catch (SQLException e) {
      throw failure("migrating", e);
    }
  }

  /**
   * Refuses a schema that this code can't work with, and changes nothing.
   *
   * @throws SchemaException if a migration is pending, was changed, or is too new
   */
  public void verify() {
    SchemaState state = read();
    state.check(known);
    List<Migration> pending = state.pending(known);
    if (!pending.isEmpty()) {
      throw new SchemaException(
          state.where()
              + " has version "
              + state.version()
              + ", and this code needs version "
              + known.size()
              + "; migrate it first");
    }
  }

  private SchemaState read() {
    try {
      return new Transaction(Duration.ofSeconds(5), Duration.ofSeconds(10))
          .run(source, connection -> SchemaState.read(connection, schema));
    } catch (SQLException e) {
      throw failure("reading", e);
    }
  }

  private MigrationReport migrateLocked(Connection connection) throws SQLException {
    boolean waited = lock(connection);
    SchemaState state = SchemaState.read(connection, schema); // may have changed while we waited
    state.check(known);
    List<Migration> pending = state.pending(known);
    for (String sql : new Script(schema).prepare(state)) {
      Transaction.execute(connection, sql);
    }
    for (Migration step : pending) {
      Transaction.execute(connection, step.sql(schema));
      Transaction.execute(connection, new Script(schema).record(step));
    }
    return new MigrationReport(
        schema,
        state.version(),
        Math.max(state.version(), known.size()),
        pending.stream().map(Migration::version).toList(),
        waited);
  }

  /** Returns whether somebody else had the lock, which ends with the transaction. */
  private boolean lock(Connection connection) throws SQLException {
    if (select(connection, "select pg_try_advisory_xact_lock(" + Script.lockKey(schema) + ")")) {
      return false;
    }
    log.info(
        "schema={} is being migrated by another replica; waiting up to {}", schema, lockTimeout);
    Transaction.execute(connection, "select pg_advisory_xact_lock(" + Script.lockKey(schema) + ")");
    return true;
  }

  private static boolean select(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private SchedulerException failure(String what, SQLException e) {
    return SqlFailures.translate(what + " schema " + schema.text(), e);
  }
}
