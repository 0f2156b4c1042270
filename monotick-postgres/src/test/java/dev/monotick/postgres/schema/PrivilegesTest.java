package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what: the owner migrates, replicas change rows and nothing else. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class PrivilegesTest {

  private final SchemaFixture fixture;

  PrivilegesTest(int major) {
    fixture = new SchemaFixture(major);
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void theRuntimeRoleMayDoItsWorkAndNothingElse() throws SQLException {
    String owner = ownerOfTheSchema();
    Migrations asOwner = Migrations.of(fixture.as(owner), fixture.schema);
    asOwner.migrate();
    String runtime = fixture.role("runtime");
    Migrations asRuntime = Migrations.of(fixture.as(runtime), fixture.schema);
    assertThatThrownBy(asRuntime::verify)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("role " + runtime + " may not read schema")
        .hasMessageContaining(asOwner.grants(runtime).strip().replace('\n', ' '));

    try (Connection connection = fixture.as(owner).open()) {
      execute(connection, asOwner.grants(runtime));
    }
    asRuntime.verify();
    assertThat(asRuntime.migrate().applied()).isEmpty();
    try (Connection connection = fixture.as(runtime).open()) {
      for (String statement : STATEMENTS_OF_A_REPLICA) {
        execute(connection, statement);
      }
      for (String statement : STATEMENTS_OF_AN_OWNER) {
        assertThatThrownBy(() -> execute(connection, statement))
            .as(statement)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
      }
    }
    fixture.execute("drop table @schema." + newestPartition());
    LedgerMaintenance maintenance =
        LedgerMaintenance.of(fixture.as(runtime), fixture.schema, Duration.ofDays(30));
    assertThat(maintenance.run().created()).hasSize(1);
  }

  @Test
  void eachMissingGrantIsNamedReadyToPaste() throws SQLException {
    String runtime = fixture.role("runtime");
    fixture.migrations().runtimeRole(runtime).migrate();
    Migrations asRuntime = Migrations.of(fixture.as(runtime), fixture.schema);
    asRuntime.verify();
    for (String lost :
        List.of(
            "insert on table @tick",
            "select on table @store",
            "update on table @fence",
            "delete on table @replica",
            "execute on function @maintain(interval, integer, integer)",
            "insert on table @job_attempt",
            "usage on sequence @job_number",
            "execute on function @maintain_jobs(interval, integer, integer)")) {
      fixture.execute("revoke " + lost + " from " + runtime);
      assertThatThrownBy(asRuntime::verify)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("role " + runtime + " lacks privileges on schema")
          .satisfies(e -> fixture.database.execute(afterColon(e)));
      asRuntime.verify();
    }
    fixture.execute("revoke usage on schema @schema from " + runtime);
    assertThatThrownBy(asRuntime::verify)
        .isInstanceOf(SchemaException.class)
        .satisfies(e -> fixture.database.execute(afterColon(e)));
    asRuntime.verify();
  }

  @Test
  void theRuntimeRoleIsGrantedWhatItLacksEvenIfNothingIsPending() {
    fixture.migrations().migrate();
    String runtime = fixture.role("runtime");
    Migrations withRole = fixture.migrations().runtimeRole(runtime);
    assertThat(withRole.migrate().applied()).isEmpty();
    Migrations.of(fixture.as(runtime), fixture.schema).verify();
  }

  @Test
  void aRuntimeRoleThatDoesNotExistIsRefused() {
    Migrations migrations = fixture.migrations().runtimeRole("no_such_role");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("role \"no_such_role\" does not exist")
          .hasMessageContaining("create it first");
      fixture.migrations().migrate();
    }
  }

  @Test
  void anOwnerOfTheSchemaNeedsNoRightsOnTheDatabase() {
    String owner = ownerOfTheSchema();
    Migrations migrations = Migrations.of(fixture.as(owner), fixture.schema);
    assertThat(migrations.migrate().applied()).isEqualTo(SchemaFixture.VERSIONS);
    migrations.verify();
  }

  @Test
  void whoMayNotMigrateIsToldWhatToAskFor() {
    String stranger = fixture.role("stranger");
    Migrations migrations = Migrations.of(fixture.as(stranger), fixture.schema);
    assertThatThrownBy(migrations::migrate)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("role " + stranger + " may not migrate schema")
        .hasMessageContaining(
            "create schema \"%s\" authorization \"%s\";".formatted(fixture.schema.text(), stranger))
        .hasMessageContaining("Migrations.sqlFrom(0)");
    fixture.execute("create schema @schema");
    assertThatThrownBy(migrations::migrate)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("connect as the owner of the schema");
  }

  @Test
  void aRuntimeRoleThatMeetsAnOldSchemaIsToldToMigrateAsTheOwner() {
    String runtime = fixture.role("runtime");
    fixture.migrations().runtimeRole(runtime).migrate();
    List<Migration> known = new ArrayList<>(Migration.ALL);
    known.add(SchemaFixture.step(SchemaFixture.NEWEST_VERSION + 1, 1, "create table @a ()"));
    Migrations asRuntime =
        new Migrations(
            fixture.as(runtime),
            new MigrationPlan(fixture.schema, known, Duration.ofSeconds(10), false, null));
    assertThatThrownBy(asRuntime::migrate)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("from version 1 to 2")
        .hasMessageContaining("connect as the owner of the schema")
        .hasMessageContaining("Migrations.sqlFrom(1)");
    assertThatThrownBy(asRuntime::verify)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("has version 1, and this code needs version 2; migrate it");
  }

  @Test
  void aRoleWithAStrangeNameIsQuoted() {
    String name = "odd \\ \"role\" isn't; --" + fixture.schema.text();
    fixture.database.execute("create role \"" + name.replace("\"", "\"\"") + "\"");
    try {
      fixture.migrations().runtimeRole(name).migrate();
      assertThat(
              fixture.query(
                  "select has_table_privilege('"
                      + name.replace("'", "''")
                      + "', '@tick', 'insert')"))
          .containsExactly("t");
    } finally {
      fixture.execute("drop schema @schema cascade");
      fixture.database.execute("drop role \"" + name.replace("\"", "\"\"") + "\"");
    }
  }

  private String ownerOfTheSchema() {
    String owner = fixture.role("owner");
    fixture.execute("create schema @schema authorization " + owner);
    return owner;
  }

  private String newestPartition() {
    return fixture
        .query(
            "select max(relname::text) from pg_class where relnamespace = '@schema'::regnamespace"
                + " and relname ~ '^tick_[0-9]{8}$'")
        .get(0);
  }

  private static String afterColon(Throwable e) {
    String message = String.valueOf(e.getMessage());
    return message.substring(message.indexOf("run: ") + 5);
  }

  private void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(fixture.resolve(sql));
    }
  }

  /** The kinds of statements that ledger, registry and election consist of. */
  private static final List<String> STATEMENTS_OF_A_REPLICA =
      List.of(
          "select id from @store",
          "select version from @migration",
          "insert into @task (name, schedule, cursor_at) values ('t', 's', now())"
              + " on conflict (name) do update set schedule = excluded.schedule",
          "select * from @task where name = 't' for update",
          "insert into @fence values ('g', 1, 1) on conflict (group_name) do nothing",
          "select * from @fence where group_name = 'g' for share",
          "insert into @tick (task, nominal, last_nominal, status, occupies)"
              + " values ('t', now(), now(), 'RUNNING', true)"
              + " on conflict (task, nominal, trigger_key) do nothing",
          "select * from @tick where task = 't' and (status <> 'ENDED' or occupies) for update",
          "update @tick set status = 'ENDED', outcome = 'SUCCEEDED', occupies = false"
              + " where task = 't'",
          "update @task set cursor_at = now() where name = 't'",
          "delete from @tick where task = 't'",
          "insert into @trigger_key values ('t', 'k', now()) on conflict (task, key) do nothing",
          "delete from @trigger_key where task = 't'",
          "insert into @lease (group_name, holder, timeline, epoch)"
              + " values ('g', gen_random_uuid(), 1, 1) on conflict (group_name)"
              + " do update set heartbeat = lease.heartbeat + 1",
          "update @lease set released = true where group_name = 'g'",
          "update @fence set epoch = epoch + 1 where group_name = 'g'",
          "insert into @replica (id, name, version, started_at)"
              + " values (gen_random_uuid(), 'r', '1', now())",
          "update @replica set heartbeat = heartbeat + 1, gone_at = now()",
          "delete from @replica",
          "delete from @lease",
          "delete from @fence",
          "delete from @task",
          "select pg_notify('monotick', 'x')",
          "select pg_try_advisory_lock(1), pg_advisory_unlock(1)",
          "select * from @maintain('30 days')",
          "select nextval('@job_number')",
          "insert into @job_lane (queue, kind, tenant, priority) values ('q', 'k', '', 0)",
          "insert into @job (id, timeout_millis, lane, version, max_attempts, effect, payload)"
              + " values (@job_first_id(now()), 1, 1, 1, 1, 0, '')",
          "select * from @job for update",
          "insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
              + " select id, now(), 0, 1, 1, 0 from @job",
          "insert into @job_log (job_id, at, text) select id, now(), 'x' from @job",
          "insert into @job_retention (queue, tenant, days) values ('', '', 1)",
          "update @job_rules_version set version = version + 1",
          "delete from @job_log",
          "delete from @job_attempt",
          "delete from @job",
          "select * from @maintain_jobs('30 days')");

  private static final List<String> STATEMENTS_OF_AN_OWNER =
      List.of(
          "create table @mine ()",
          "alter table @task add column mine integer",
          "drop table @trigger_key",
          "truncate @tick",
          "create index on @tick (nominal)",
          "create table @tick_mine partition of @tick for values from ('2000-01-01') to"
              + " ('2000-01-02')",
          "alter table @tick detach partition @tick_other",
          "delete from @tick_other",
          "drop function @maintain(interval, integer, integer)",
          "delete from @job_other",
          "update @job_upkeep_scan set scanned_to = 1",
          "select @job_delete_ended(array[1], now())",
          "drop function @maintain_jobs(interval, integer, integer)",
          "insert into @migration values (9, 'x', 'x', 1)",
          "update @migration set checksum = 'x'",
          "insert into @store default values",
          "update @store set created_at = now()",
          "drop schema @schema cascade",
          "create schema mine");
}
