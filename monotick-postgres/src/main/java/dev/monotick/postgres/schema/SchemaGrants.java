package dev.monotick.postgres.schema;

import static java.util.stream.Collectors.joining;

import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a replica may do, as long as somebody else migrates: change rows, and call the routines that
 * keep the partitions, which run with their owner's rights. Partitions need no grants of their own,
 * since nobody addresses them directly.
 */
record SchemaGrants(SchemaName schema, String role) {

  private static final List<String> READ = List.of("migration", "store");
  private static final List<String> WRITTEN =
      List.of(
          "task",
          "tick",
          "trigger_key",
          "fence",
          "lease",
          "replica",
          "replica_gone",
          "limit_lock",
          "job",
          "job_approval",
          "job_attempt",
          "job_blocked",
          "job_claim",
          "job_count",
          "job_count_delta",
          "job_dead",
          "job_delayed",
          "job_expiry",
          "job_lane",
          "job_limit",
          "job_limit_hold",
          "job_limit_use",
          "job_log",
          "job_offer",
          "job_pause",
          "job_ready",
          "job_retention",
          "job_rules_version",
          "job_run",
          "job_scan",
          "job_tenant",
          "job_unique",
          "job_wait");

  /** Whoever has what a sequence gives next needs no more of it. */
  private static final List<String> COUNTED = List.of("job_number");

  /** Called with the owner's rights; by name, with the types of their parameters. */
  private static final Map<String, String> CALLED =
      new TreeMap<>(
          Map.of(
              "maintain", "interval, integer, integer",
              "maintain_jobs", "interval, integer, integer"));

  private static final String HELD =
      """
      with asked as (select cast(E'%s' as name) as role, cast('%s' as name) as schema),
      n as (select oid, role from pg_catalog.pg_namespace join asked on nspname = schema)
      select '' as name, has_schema_privilege(role, n.oid, 'usage') as held from n
      union all
      select relname, has_sequence_privilege(role, c.oid, 'usage')
        from pg_catalog.pg_class c join n on n.oid = c.relnamespace
       where relkind = 'S'
      union all
      select relname,
             has_table_privilege(role, c.oid, 'select')
             and (relname in ('migration', 'store')
                  or has_table_privilege(role, c.oid, 'insert')
                     and has_table_privilege(role, c.oid, 'update')
                     and has_table_privilege(role, c.oid, 'delete'))
        from pg_catalog.pg_class c join n on n.oid = c.relnamespace
       where relkind <> 'S'
      union all
      select proname, has_function_privilege(role, p.oid, 'execute')
        from pg_catalog.pg_proc p join n on n.oid = p.pronamespace
      """;

  /** Returns all statements, each with its semicolon. */
  List<String> all() {
    return without(Set.of());
  }

  /**
   * Returns the statements that would give the role what it lacks; none if it lacks nothing.
   *
   * @throws SchemaException if something is not there at all
   */
  List<String> missing(Connection connection) throws SQLException {
    Set<String> absent = new TreeSet<>(READ);
    absent.addAll(WRITTEN);
    absent.addAll(COUNTED);
    absent.addAll(CALLED.keySet());
    Set<String> held = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(HELD.formatted(escapedRole(), schema.text()))) {
      while (row.next()) {
        absent.remove(row.getString("name"));
        if (row.getBoolean("held")) {
          held.add(row.getString("name"));
        }
      }
    }
    if (!absent.isEmpty()) {
      throw new SchemaException(
          "schema "
              + schema.text()
              + " lacks "
              + String.join(", ", absent)
              + ", which its recorded version should have; restore it from a backup, or drop the"
              + " schema and start anew");
    }
    return without(held);
  }

  private List<String> without(Set<String> held) {
    List<String> statements = new ArrayList<>();
    if (!held.contains("")) {
      statements.add(grant("usage", "schema " + schema.quoted()));
    }
    tables(READ, held).map(names -> grant("select", names)).forEach(statements::add);
    tables(WRITTEN, held)
        .map(names -> grant("select, insert, update, delete", names))
        .forEach(statements::add);
    tables(COUNTED, held)
        .map(names -> grant("usage", "sequence " + names))
        .forEach(statements::add);
    CALLED.forEach(
        (name, types) -> {
          if (!held.contains(name)) {
            statements.add(
                grant("execute", "function %s.%s(%s)".formatted(schema.quoted(), name, types)));
          }
        });
    return statements;
  }

  private Stream<String> tables(List<String> names, Set<String> held) {
    String rest =
        names.stream()
            .filter(name -> !held.contains(name))
            .map(name -> schema.quoted() + "." + name)
            .collect(joining(", "));
    return Stream.of(rest).filter(text -> !text.isEmpty());
  }

  private String grant(String privileges, String objects) {
    return "grant %s on %s to \"%s\";".formatted(privileges, objects, role.replace("\"", "\"\""));
  }

  /** For a string with escapes, whose meaning depends on no setting. */
  private String escapedRole() {
    return role.replace("\\", "\\\\").replace("'", "''");
  }
}
