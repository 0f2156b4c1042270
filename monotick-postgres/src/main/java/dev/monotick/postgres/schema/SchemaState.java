package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What the server says about our schema, read without needing a privilege on it.
 *
 * @param role who is connected
 * @param exists whether there is a schema of that name
 * @param hasLedger whether it has the table {@code migration}
 * @param applied the rows of that table, by version
 * @param hasGrants whether the plan's runtime role, if it names one, lacks nothing
 */
record SchemaState(
    SchemaName schema,
    String role,
    String database,
    boolean exists,
    boolean mayCreateSchema,
    boolean mayCreateTables,
    boolean hasLedger,
    List<AppliedMigration> applied,
    boolean hasGrants) {

  private static final String FACTS =
      """
      select current_user as role, current_database() as database, n.oid is not null as present,
             has_database_privilege(current_database(), 'create') as create_schema,
             coalesce(has_schema_privilege(n.oid, 'create'), false) as create_tables,
             coalesce(has_schema_privilege(n.oid, 'usage'), false) as usage,
             c.oid is not null as ledger,
             coalesce(has_table_privilege(c.oid, 'select'), false) as readable
        from (values ('%s')) as wanted (name)
        left join pg_catalog.pg_namespace n on n.nspname = wanted.name
        left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'migration'
      """;

  private static final String APPLIED =
      "select version, name, checksum, min_code_version from @migration order by version";

  static SchemaState read(Connection connection, MigrationPlan plan) throws SQLException {
    SchemaName schema = plan.schema();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(FACTS.formatted(schema.text()))) {
      row.next();
      boolean readable = row.getBoolean("usage") && row.getBoolean("readable");
      boolean ledger = row.getBoolean("ledger");
      if (ledger && !readable) {
        throw new SchemaException(
            "role "
                + row.getString("role")
                + " may not read schema "
                + schema.text()
                + " in database "
                + row.getString("database")
                + "; let its owner run: "
                + String.join(" ", new SchemaGrants(schema, row.getString("role")).all()));
      }
      return new SchemaState(
          schema,
          row.getString("role"),
          row.getString("database"),
          row.getBoolean("present"),
          row.getBoolean("create_schema"),
          row.getBoolean("create_tables"),
          ledger,
          ledger ? applied(connection, schema) : List.of(),
          ledger && hasGrants(connection, plan));
    }
  }

  private static List<AppliedMigration> applied(Connection connection, SchemaName schema)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(Migration.resolve(APPLIED, schema))) {
      List<AppliedMigration> applied = new ArrayList<>();
      while (row.next()) {
        applied.add(
            new AppliedMigration(row.getInt(1), row.getString(2), row.getString(3), row.getInt(4)));
      }
      return List.copyOf(applied);
    }
  }

  private static boolean hasGrants(Connection connection, MigrationPlan plan) throws SQLException {
    String role = plan.runtimeRole();
    return role == null || new SchemaGrants(plan.schema(), role).missing(connection).isEmpty();
  }

  /** Says whether there is nothing to do. */
  boolean isComplete(MigrationPlan plan) {
    return hasGrants && pending(plan.known()).isEmpty();
  }

  /** Returns the newest version applied; 0 if none is. */
  int version() {
    return applied.isEmpty() ? 0 : applied.get(applied.size() - 1).version();
  }

  /** Returns the steps that are known but not applied yet, in order. */
  List<Migration> pending(List<Migration> known) {
    return known.stream().filter(step -> step.version() > version()).toList();
  }

  /** Refuses what was applied if this code can't work with it. */
  void check(List<Migration> known) {
    for (int i = 0; i < applied.size(); i++) {
      AppliedMigration row = applied.get(i);
      if (row.version() != i + 1) {
        throw new SchemaException(
            where()
                + " records migration "
                + row.version()
                + " but not "
                + (i + 1)
                + "; restore the table migration from a backup, or drop the schema and start anew");
      }
      if (i < known.size()) {
        checkSame(row, known.get(i));
      } else {
        checkNewer(row, known.size());
      }
    }
  }

  private void checkSame(AppliedMigration row, Migration step) {
    if (!row.name().equals(step.name())) {
      throw new SchemaException(
          where()
              + " was created by a development version of Monotick from before the first release: its"
              + " migration "
              + row.version()
              + " is "
              + row.name()
              + ", but this code has "
              + step.name()
              + "; it cannot be upgraded. Choose another schema, or drop this one with all its data"
              + " and start again: drop schema "
              + schema.quoted()
              + " cascade");
    }
    if (!row.checksum().equals(step.checksum())) {
      throw new SchemaException(
          where()
              + " was migrated to version "
              + step.title()
              + " by another text than this code has: checksum "
              + row.checksum()
              + " is recorded, "
              + step.checksum()
              + " expected; use an unmodified release, or the one that migrated it");
    }
  }

  private void checkNewer(AppliedMigration row, int code) {
    if (row.minCodeVersion() > code) {
      throw new SchemaException(
          where()
              + " has version "
              + version()
              + ", and this code knows versions up to "
              + code
              + " only; migration "
              + row.version()
              + " ("
              + row.name()
              + ") needs code that knows at least version "
              + row.minCodeVersion()
              + ": upgrade this replica, or restore the database from before the upgrade");
    }
  }

  /** Returns where all this is, as people would say it. */
  String where() {
    return "schema " + schema.text() + " in database " + database;
  }
}
