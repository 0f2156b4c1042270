package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SqlFunction;
import dev.monotick.postgres.migration.MigrationReport;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt to migrate, inside its transaction. Remembers how far it came. */
final class MigrationRun implements SqlFunction<MigrationReport> {

  private static final Logger log = LoggerFactory.getLogger(MigrationRun.class);

  /**
   * How long a step waits for a table that others use. Short: whoever wants the table next queues
   * behind us.
   */
  static final Duration TABLE_LOCK_TIMEOUT = Duration.ofSeconds(10);

  private final MigrationPlan plan;
  private String position = "waiting for another migration";
  private boolean waiting;

  MigrationRun(MigrationPlan plan) {
    this.plan = plan;
  }

  /** Returns what it was doing last. */
  String position() {
    return position;
  }

  /** Says whether it was still waiting for somebody else who migrates. */
  boolean isWaiting() {
    return waiting;
  }

  @Override
  public MigrationReport apply(Connection connection) throws SQLException {
    boolean waited = !plan.portable() && lock(connection);
    SchemaState state = SchemaState.read(connection, plan); // may have changed while we waited
    state.check(plan.known());
    List<Migration> pending = state.pending(plan.known());
    if (!state.isComplete(plan)) {
      work(connection, state, pending);
    }
    return new MigrationReport(
        plan.schema().text(),
        state.version(),
        Math.max(state.version(), plan.version()),
        pending.stream().map(Migration::version).toList(),
        waited);
  }

  private void work(Connection connection, SchemaState state, List<Migration> pending)
      throws SQLException {
    MigrationScript script = new MigrationScript(plan);
    position = "creating the schema";
    for (String sql : script.prepare(state)) {
      waiting = plan.portable();
      MigrationTransaction.execute(connection, sql);
    }
    for (Migration step : pending) {
      position = "recording migration " + step.title();
      waiting = plan.portable();
      MigrationTransaction.execute(
          connection, script.record(step)); // first: where portable ones meet
      waiting = false;
      position = "migration " + step.title();
      MigrationTransaction.execute(connection, step.sql(plan.schema()));
    }
    if (plan.runtimeRole() != null) {
      position = "granting privileges to role " + plan.runtimeRole();
      for (String grant : new SchemaGrants(plan.schema(), plan.runtimeRole()).all()) {
        MigrationTransaction.execute(connection, grant);
      }
    }
    position = "committing";
  }

  /** Returns whether somebody else had the lock, which ends with the transaction. */
  private boolean lock(Connection connection) throws SQLException {
    boolean free = tryLock(connection);
    if (!free) {
      log.info(
          "schema={} is being migrated by another replica; waiting up to {}",
          plan.schema().text(),
          plan.lockTimeout());
      waiting = true;
      MigrationTransaction.execute(
          connection, "select pg_advisory_xact_lock(" + plan.lockKey() + ")");
      waiting = false;
    }
    Duration tableLocks =
        plan.lockTimeout().compareTo(TABLE_LOCK_TIMEOUT) < 0
            ? plan.lockTimeout()
            : TABLE_LOCK_TIMEOUT;
    MigrationTransaction.execute(connection, "set local lock_timeout = " + tableLocks.toMillis());
    return !free;
  }

  private boolean tryLock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select pg_try_advisory_xact_lock(" + plan.lockKey() + ")")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
