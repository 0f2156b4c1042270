package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.migration.MigrationReport;
import dev.monotick.postgres.migration.SchemaException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class MigrationsTest {

  private static final int NEWEST = Migration.ALL.size();

  private final SchemaFixture fixture;

  MigrationsTest(int major) {
    fixture = new SchemaFixture(major);
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void anEmptyDatabaseIsMigratedOnce() {
    Migrations migrations = fixture.migrations();
    assertThatThrownBy(migrations::verify)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("has version 0, and this code needs version " + NEWEST)
        .hasMessageContaining("Migrations.sqlFrom(0)");
    MigrationReport report = migrations.migrate();
    assertThat(report)
        .isEqualTo(
            new MigrationReport(fixture.schema.text(), 0, NEWEST, SchemaFixture.VERSIONS, false));
    migrations.verify();
    assertThat(migrations.migrate())
        .isEqualTo(new MigrationReport(fixture.schema.text(), NEWEST, NEWEST, List.of(), false));
  }

  @Test
  void twentyReplicasApplyEachMigrationOnce() throws Exception {
    twenty(fixture.migrations(), SchemaFixture.VERSIONS.toArray(Integer[]::new));
  }

  @Test
  void twentyReplicasApplyEachMigrationOnceWithoutAdvisoryLocks() throws Exception {
    twenty(fixture.migrations().portable(), SchemaFixture.VERSIONS.toArray(Integer[]::new));
  }

  @Test
  void twentyReplicasUpgradeOnceWithoutAdvisoryLocks() throws Exception {
    fixture.migrations().migrate();
    Migration next =
        SchemaFixture.step(NEWEST + 1, 1, "alter table @task add column fresh integer");
    twenty(withSteps(next).portable(), NEWEST + 1);
  }

  private void twenty(Migrations migrations, Integer... expected) throws Exception {
    List<SchemaFixture.Running<MigrationReport>> replicas = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      replicas.add(new SchemaFixture.Running<>(migrations::migrate));
    }
    List<Integer> applied = new ArrayList<>();
    for (SchemaFixture.Running<MigrationReport> replica : replicas) {
      assertThat(replica.result().to()).isEqualTo(expected[expected.length - 1]);
      applied.addAll(replica.result().applied());
    }
    assertThat(applied).containsExactly(expected);
    migrations.verify();
  }

  @Test
  void onlyWhatIsMissingIsApplied() {
    fixture.migrations("create table @a ()").migrate();
    Migrations newer = fixture.migrations("create table @a ()", "create table @b ()");
    assertThat(newer.migrate())
        .isEqualTo(new MigrationReport(fixture.schema.text(), 1, 2, List.of(2), false));
  }

  @Test
  void aKilledMigratorLeavesNothingAndTheNextOneDoesItAll() throws Exception {
    String gate = "hashtext('" + name() + "')::bigint";
    Migrations migrations =
        fixture.migrations(
            "create table @a ()", "create table @b (); select pg_advisory_xact_lock(" + gate + ")");
    try (Connection holder = fixture.database.connect()) {
      holder.setAutoCommit(false);
      fixture.query(holder, "select pg_advisory_xact_lock(" + gate + ")");
      SchemaFixture.Running<MigrationReport> victim =
          new SchemaFixture.Running<>(migrations::migrate);
      String pid = fixture.await(waitingFor(gate));
      SchemaFixture.Running<MigrationReport> next =
          new SchemaFixture.Running<>(migrations::migrate);
      fixture.await(waitingFor(fixture.plan().lockKey()));
      fixture.execute("select pg_terminate_backend(" + pid + ")");
      assertThat(victim.failure())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("migration 2 (step)");
      fixture.await(waitingFor(gate));
      assertThat(fixture.query("select 1 from pg_namespace where nspname = '" + name() + "'"))
          .isEmpty();
      holder.rollback();
      assertThat(next.result())
          .isEqualTo(new MigrationReport(fixture.schema.text(), 0, 2, List.of(1, 2), true));
    }
    assertThat(fixture.query("select version from @migration order by 1"))
        .containsExactly("1", "2");
  }

  @Test
  void aFailingMigrationLeavesNothing() {
    assertThatThrownBy(fixture.migrations("create table @a ()", "create nonsense")::migrate)
        .hasMessageContaining("migration 2 (step)")
        .hasMessageContaining("syntax error");
    assertThat(fixture.query("select 1 from pg_namespace where nspname = '" + name() + "'"))
        .isEmpty();
  }

  @Test
  void whoeverWaitsTooLongIsToldForWhom() throws Exception {
    try (Connection holder = fixture.database.connect()) {
      holder.setAutoCommit(false);
      String pid = fixture.query(holder, "select pg_backend_pid()").get(0);
      fixture.query(holder, "select pg_advisory_xact_lock(" + fixture.plan().lockKey() + ")");
      assertThatThrownBy(fixture.migrations().lockTimeout(Duration.ofMillis(50))::migrate)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("is being migrated by process " + pid + " of role postgres")
          .hasMessageContaining("not done after PT0.05S (lockTimeout)")
          .hasMessageContaining("pg_terminate_backend");
    }
  }

  @Test
  void aTableInUseMakesAMigrationGiveUpAndChangeNothing() throws Exception {
    fixture.migrations("create table @a ()").migrate();
    try (Connection user = fixture.database.connect()) {
      user.setAutoCommit(false);
      fixture.query(user, "select * from @a");
      Migrations newer =
          fixture.migrations(
              "create table @a ()", "create table @b (); alter table @a add column c integer");
      assertThatThrownBy(newer.lockTimeout(Duration.ofMillis(50))::migrate)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("migration 2 (step) of schema " + name())
          .hasMessageContaining("in use for more than PT0.05S; nothing was changed");
      assertThat(fixture.query("select version from @migration")).containsExactly("1");
      user.rollback();
      newer.migrate();
    }
  }

  @Test
  void aChangedMigrationIsRefused() {
    fixture.migrations().migrate();
    fixture.execute("update @migration set checksum = 'tampered' where version = 1");
    for (Migrations migrations : List.of(fixture.migrations(), fixture.migrations().portable())) {
      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("version 1 (baseline) by another text")
          .hasMessageContaining("checksum tampered is recorded, " + Migration.ALL.get(0).checksum())
          .hasMessageContaining("use an unmodified release");
      assertThatThrownBy(migrations::verify).hasMessageContaining("tampered");
    }
  }

  @Test
  void aSchemaOfADevelopmentVersionIsRefusedWithTheRemedy() {
    fixture.execute("create schema @schema");
    fixture.execute(
        "create table @migration (version integer primary key, name text, checksum text,"
            + " min_code_version integer)");
    fixture.execute(
        "insert into @migration values (1, 'coordination', 'a', 1), (2, 'maintenance', 'b', 1)");
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(fixture.migrations()::migrate, fixture.migrations()::verify)) {
      assertThatThrownBy(call)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("schema " + name() + " in database")
          .hasMessageContaining("development version of Monotick from before the first release")
          .hasMessageContaining("its migration 1 is coordination, but this code has baseline")
          .hasMessageContaining("drop schema \"" + name() + "\" cascade");
    }
  }

  @Test
  void aNewerSchemaIsRefusedUnlessItDeclaresItselfCompatible() {
    Migration compatible = SchemaFixture.step(NEWEST + 1, 1, "create table @a ()");
    Migration breaking = SchemaFixture.step(NEWEST + 2, NEWEST + 1, "drop table @a");
    withSteps(compatible).migrate();
    Migrations old = fixture.migrations();
    old.verify();
    assertThat(old.migrate())
        .isEqualTo(
            new MigrationReport(fixture.schema.text(), NEWEST + 1, NEWEST + 1, List.of(), false));

    withSteps(compatible, breaking).migrate();
    withSteps(compatible).verify();
    for (ThrowingCallable call : List.<ThrowingCallable>of(old::migrate, old::verify)) {
      assertThatThrownBy(call)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining(
              "has version %d, and this code knows versions up to %d only"
                  .formatted(NEWEST + 2, NEWEST))
          .hasMessageContaining(
              "migration %d (step) needs code that knows at least version %d"
                  .formatted(NEWEST + 2, NEWEST + 1))
          .hasMessageContaining("upgrade this replica");
    }
  }

  private Migrations withSteps(Migration... more) {
    List<Migration> known = new ArrayList<>(Migration.ALL);
    known.addAll(List.of(more));
    return new Migrations(
        fixture.database::connect,
        new MigrationPlan(fixture.schema, known, Duration.ofSeconds(10), false, null));
  }

  @Test
  void aSchemaThatLacksATableIsRefused() {
    fixture.migrations().migrate();
    fixture.execute("drop table @lease");
    assertThatThrownBy(fixture.migrations()::verify)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("lacks lease, which its recorded version should have");
  }

  @Test
  void aLedgerWithAGapIsRefused() {
    Migrations migrations = fixture.migrations("create table @a ()", "create table @b ()");
    migrations.migrate();
    fixture.execute("delete from @migration where version = 1");
    assertThatThrownBy(migrations::migrate)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("records migration 2 but not 1");
  }

  @Test
  void tablesOfOthersAreLeftAlone() {
    fixture.execute("create schema @schema");
    fixture.execute("create table @task (theirs integer)");
    for (Migrations migrations : List.of(fixture.migrations(), fixture.migrations().portable())) {
      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("\"task\" already exists")
          .hasMessageContaining("choose another schema. Nothing was changed");
    }
    fixture.execute("create table @migration (theirs integer)");
    assertThatThrownBy(fixture.migrations()::migrate)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("has a table migration that is not ours");
  }

  @Test
  void theSessionIsLeftAsItWas() throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      fixture.query(connection, "select set_config('lock_timeout', '1234', false)");
      fixture.query(
          connection, "select set_config('default_transaction_isolation', 'serializable', false)");
      connection.setNetworkTimeout(Runnable::run, 5678);
      ConnectionSource kept = () -> new KeptOpen(connection).asConnection();
      Migrations.of(kept, fixture.schema).migrate();
      assertThat(fixture.query(connection, "show lock_timeout")).containsExactly("1234ms");
      assertThat(fixture.query(connection, "show transaction_isolation"))
          .containsExactly("serializable");
      assertThat(connection.getNetworkTimeout()).isEqualTo(5678);
      assertThat(connection.getAutoCommit()).isTrue();
      assertThat(
              fixture.query(
                  connection,
                  "select 1 from pg_locks where locktype = 'advisory'"
                      + " and pid = pg_backend_pid()"))
          .isEmpty();
    }
  }

  private static String waitingFor(String key) {
    return "select pid from pg_locks, cast("
        + key
        + " as bigint) as key where locktype = 'advisory' and not granted"
        + " and objid = (key & 4294967295)::oid"
        + " and database = (select oid from pg_database where datname = current_database())";
  }

  private String name() {
    return fixture.database.schema();
  }
}
