package dev.monotick.postgres.schema;

import dev.monotick.error.SchedulerException;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in our words why migrating failed, and what to do. */
record MigrationFailures(ConnectionSource source, MigrationPlan plan, SchemaState before) {

  private static final Logger log = LoggerFactory.getLogger(MigrationFailures.class);

  /** A unique key or a name that somebody else took meanwhile, or a conflict between snapshots. */
  private static final Set<String> LOST_RACES =
      Set.of("23505", "42P06", "42P07", "42710", "40001", "40P01");

  private static final String HOLDER =
      """
      select format('process %%s of role %%s (%%s, %%s, %%s)', a.pid, a.usename,
                    nullif(a.application_name, ''), a.client_addr, a.state)
        from pg_locks l join pg_stat_activity a on a.pid = l.pid, cast(%s as bigint) as key
       where l.locktype = 'advisory' and l.granted and l.objsubid = 1
         and l.database = (select oid from pg_database where datname = current_database())
         and l.classid = ((key >> 32) & 4294967295)::oid and l.objid = (key & 4294967295)::oid
      """;

  static boolean isLostRace(SQLException failure) {
    return LOST_RACES.contains(state(failure));
  }

  static SchedulerException reading(MigrationPlan plan, SQLException failure) {
    return switch (state(failure)) {
      case "42703" ->
          new SchemaException(
              "schema "
                  + plan.schema().text()
                  + " has a table migration that is not ours; choose another schema",
              failure);
      case "42704" -> unknownRole(failure);
      default -> SqlFailures.translate("reading schema " + plan.schema().text(), failure);
    };
  }

  SchedulerException explain(MigrationRun run, SQLException failure) {
    String what = "migrating " + before.where();
    return switch (state(failure)) {
      case "55P03" -> run.isWaiting() ? stillLocked(failure) : tableInUse(run, failure);
      case "42501" -> notAllowed(failure);
      case "42704" ->
          plan.runtimeRole() == null
              ? SqlFailures.translate(what + " (" + run.position() + ")", failure)
              : unknownRole(failure);
      case "25006" ->
          new SchemaException(
              what + " failed: the server or this role is read-only; connect to the primary",
              failure);
      case "42P06", "42P07", "42710" ->
          new SchemaException(
              what
                  + " failed at "
                  + run.position()
                  + ": "
                  + SqlFailures.describe(failure)
                  + "; something that is not ours has that name: choose another schema. Nothing was"
                  + " changed",
              failure);
      default -> SqlFailures.translate(what + " (" + run.position() + ")", failure);
    };
  }

  private static SchemaException unknownRole(SQLException failure) {
    return new SchemaException(
        "runtimeRole can be granted nothing: "
            + SqlFailures.describe(failure)
            + "; create it first, or leave it out",
        failure);
  }

  private SchemaException stillLocked(SQLException failure) {
    return new SchemaException(
        before.where()
            + " is being migrated by "
            + holder()
            + ", which was not done after "
            + plan.lockTimeout()
            + " (lockTimeout); wait for it, or end it with pg_terminate_backend, and start again",
        failure);
  }

  private SchemaException tableInUse(MigrationRun run, SQLException failure) {
    Duration waited = MigrationRun.TABLE_LOCK_TIMEOUT;
    return new SchemaException(
        run.position()
            + " of "
            + before.where()
            + " found a table in use for more than "
            + (plan.lockTimeout().compareTo(waited) < 0 ? plan.lockTimeout() : waited)
            + "; nothing was changed: end long transactions and start again",
        failure);
  }

  private SchemaException notAllowed(SQLException failure) {
    String remedy;
    if (!before.exists() && !before.mayCreateSchema()) {
      remedy =
          "let the owner of the database run: create schema %s authorization \"%s\";"
              .formatted(plan.schema().quoted(), before.role());
    } else if (before.exists() && !before.mayCreateTables()) {
      remedy = "connect as the owner of the schema to migrate";
    } else {
      remedy = "connect as the owner of the schema, who owns what is in it";
    }
    return new SchemaException(
        "role "
            + before.role()
            + " may not migrate "
            + before.where()
            + " from version "
            + before.version()
            + " to "
            + plan.version()
            + " ("
            + SqlFailures.describe(failure)
            + "); "
            + remedy
            + ", or apply the SQL from Migrations.sqlFrom("
            + before.version()
            + ")",
        failure);
  }

  /** Best effort: what is not ours to see, or just went away, is "somebody else". */
  private String holder() {
    try (Connection connection = source.open();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(HOLDER.formatted(plan.lockKey()))) {
      if (row.next()) {
        return row.getString(1);
      }
    } catch (SQLException e) {
      log.debug("who migrates could not be found out", e);
    }
    return "somebody else";
  }

  private static String state(SQLException failure) {
    return failure.getSQLState() == null ? "" : failure.getSQLState();
  }
}
