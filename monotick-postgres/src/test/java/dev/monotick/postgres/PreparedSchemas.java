package dev.monotick.postgres;

import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.schema.Migrations;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Schemas whose tables are there, for tests by the hundred: emptied and used again. */
final class PreparedSchemas {

  private static final Map<Integer, Deque<TestDatabase>> FREE = new ConcurrentHashMap<>();

  private static final String EMPTY_JOBS =
      """
      do $$
      declare name text;
      begin
        for name in
          select c.oid::regclass from pg_class c
           where c.relnamespace = '%s'::regnamespace and c.relkind in ('r', 'p')
             and c.relname like 'job%%' and c.relname <> 'job_rules_version' and not c.relispartition
        loop
          execute 'delete from ' || name;
        end loop;
      end
      $$;
      """;

  private PreparedSchemas() {}

  /** A schema that is the caller's until it is given back. */
  record Prepared(int major, TestDatabase database) {

    void giveBack() {
      String schema = database.schema();
      StringBuilder sql = new StringBuilder();
      for (String table :
          new String[] {
            "tick", "task", "trigger_key", "fence", "lease", "replica", "replica_gone"
          }) {
        sql.append("delete from ").append(schema).append('.').append(table).append(';');
      }
      sql.append(EMPTY_JOBS.formatted(schema));
      database.execute(sql.toString());
      free(major).add(database);
    }
  }

  static Prepared take(int major) {
    TestDatabase database = free(major).poll();
    if (database == null) {
      database = TestDatabase.on(major);
      Migrations.of(database::connect, new SchemaName(database.schema())).migrate();
    }
    return new Prepared(major, database);
  }

  private static Deque<TestDatabase> free(int major) {
    return FREE.computeIfAbsent(major, any -> new ConcurrentLinkedDeque<>());
  }
}
