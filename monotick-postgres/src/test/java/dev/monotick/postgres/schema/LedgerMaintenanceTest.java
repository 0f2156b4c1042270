package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.error.SchedulerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {14, 18})
final class LedgerMaintenanceTest {

  private static final String TICK =
      "insert into @tick (task, nominal, last_nominal, status, outcome, ended_at) values ";

  private final SchemaFixture fixture;

  LedgerMaintenanceTest(int major) {
    fixture = new SchemaFixture(major);
  }

  @BeforeEach
  void migrate() {
    assumeTrue(
        fixture
            .query(
                "select ((now() + interval '20 seconds') at time zone 'UTC')::date"
                    + " = (now() at time zone 'UTC')::date")
            .equals(List.of("t")),
        "the day is about to change, and with it the names of partitions");
    fixture.migrations().migrate();
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void migratingCreatesThePartitionsOfTheFirstDays() {
    assertThat(partitions()).isEqualTo(days(0, 1, 2, 3));
    assertThat(run()).isEqualTo(nothing());
    fixture.execute(
        TICK
            + "('a', now(), now(), 'ENDED', 'SUCCEEDED', now()),"
            + " ('a', now() + interval '3 days', now(), 'ENDED', 'SUCCEEDED', now()),"
            + " ('a', now() + interval '5 days', now(), 'ENDED', 'SUCCEEDED', now())");
    assertThat(fixture.query("select tableoid::regclass::text from @tick order by nominal"))
        .containsExactly(
            fixture.database.schema() + "." + day(0),
            fixture.database.schema() + "." + day(3),
            fixture.database.schema() + ".tick_other");
  }

  @Test
  void aPartitionOfTheNewDayIsCreatedLikeTheOthers() {
    fixture.execute("drop table " + "@schema." + day(2));
    assertThat(run().created()).containsExactly(day(2));
    assertThat(partitions()).isEqualTo(days(0, 1, 2, 3));
    assertThat(
            fixture.query(
                "select indexdef from pg_indexes where schemaname = '"
                    + fixture.database.schema()
                    + "' and tablename = '"
                    + day(2)
                    + "'"))
        .hasSize(2)
        .anyMatch(index -> index.contains("UNIQUE"))
        .anyMatch(index -> index.contains("WHERE ((status <> 'ENDED'::text) OR occupies)"));
    assertThat(
            fixture.query(
                "select distinct pg_get_partition_constraintdef(inhrelid) from pg_inherits"
                    + " where inhrelid = '@schema."
                    + day(2)
                    + "'::regclass"))
        .singleElement()
        .asString()
        .contains("00:00:00");
  }

  @Test
  void aDayWhoseRowsAreElsewhereAlreadyGetsNoPartition() {
    fixture.execute("drop table @schema." + day(2));
    fixture.execute(TICK + "('a', now() + interval '2 days', now(), 'WAITING', null, null)");
    assertThat(run().created()).isEmpty();
    assertThat(partitions()).isEqualTo(days(0, 1, 3));
  }

  @Test
  void oldPartitionsAreDroppedUnlessATickIsLiveOrEndedLately() {
    for (int day = -9; day <= -1; day++) {
      partition(day);
    }
    fixture.execute(
        TICK
            + ended(-9)
            + ","
            + ended(-8)
            + ","
            + "('live', now() - interval '7 days', now() - interval '7 days', 'RUNNING', null, null),"
            + "('late', now() - interval '6 days', now() - interval '6 days', 'ENDED', 'MISSED', now()),"
            + "('long', now() - interval '5 days', now(), 'ENDED', 'MISSED', null)");
    fixture.execute(
        "insert into @tick (task, nominal, last_nominal, status, occupies) values"
            + " ('zombie', now() - interval '4 days', now() - interval '4 days', 'ENDED', true)");
    LedgerMaintenanceReport report = run();
    assertThat(report.dropped()).isEqualTo(days(-9, -8));
    assertThat(report.kept()).isEqualTo(days(-7, -6, -5, -4));
    assertThat(partitions()).isEqualTo(days(-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3));

    fixture.execute("update @tick set status = 'ENDED', occupies = false, ended_at = nominal");
    fixture.execute("update @tick set last_nominal = nominal");
    assertThat(run().dropped()).isEqualTo(days(-7, -6, -5, -4));
  }

  @Test
  void manyOldPartitionsAreDroppedInOneRunOfSeveralPieces() {
    for (int day = -50; day < -5; day++) {
      partition(day);
    }
    fixture.execute("drop table @schema." + day(3));
    LedgerMaintenanceReport report = run();
    assertThat(report.dropped()).hasSize(45);
    assertThat(report.created()).containsExactly(day(3));
    assertThat(report.unfinished()).isFalse();
    assertThat(partitions()).isEqualTo(days(0, 1, 2, 3));
  }

  @Test
  void oldRowsOutsideThePartitionsAreDeletedInBatches() {
    fixture.execute(
        "insert into @tick (task, nominal, last_nominal, status, ended_at)"
            + " select 'a', t, t, 'ENDED', t from generate_series(now() - interval '20 days',"
            + " now() - interval '10 days', interval '1 hour') t");
    fixture.execute(
        TICK
            + "('live', now() - interval '9 days', now() - interval '9 days', 'RUNNING', null, null)");
    fixture.execute(
        "insert into @trigger_key select 'a', 'k' || n, now() - interval '9 days' from generate_series(1, 25) n");
    fixture.execute("insert into @trigger_key values ('a', 'new', now())");
    fixture.execute(
        "insert into @tick (task, nominal, trigger_key, last_nominal, status) values"
            + " ('a', timestamptz '2020-01-01 00:00Z', 'waits', now(), 'WAITING')");
    fixture.execute(
        "insert into @trigger_key values ('a', 'waits', timestamptz '2020-01-01 00:00Z')");
    fixture.execute(
        "insert into @replica (id, name, version, started_at, gone_at) values"
            + " (gen_random_uuid(), 'old', '1', now(), now() - interval '9 days'),"
            + " (gen_random_uuid(), 'recent', '1', now(), now()),"
            + " (gen_random_uuid(), 'alive', '1', now(), null),"
            + " ('00000000-0000-0000-0000-000000000001', 'missed', '1', now(), now() - interval '9 days')");
    fixture.execute(
        "update @tick set claim_replica = '00000000-0000-0000-0000-000000000001' where task = 'live'");

    LedgerMaintenanceReport report = run();
    assertThat(report.ticksDeleted()).isEqualTo(241);
    assertThat(report.keysDeleted()).isEqualTo(25);
    assertThat(report.replicasDeleted()).isEqualTo(1);
    assertThat(report.unfinished()).isFalse();
    assertThat(fixture.query("select task from @tick order by 1")).containsExactly("a", "live");
    assertThat(fixture.query("select key from @trigger_key order by 1"))
        .containsExactly("new", "waits");
    assertThat(fixture.query("select name from @replica order by 1"))
        .containsExactly("alive", "missed", "recent");
  }

  @Test
  void ofManyCallersOneWorksAndTheOthersReturnAtOnce() throws Exception {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.query(connection, "select * from @maintain('5 days')");
      List<SchemaFixture.Running<LedgerMaintenanceReport>> others = new ArrayList<>();
      for (int i = 0; i < 19; i++) {
        others.add(new SchemaFixture.Running<>(this::run));
      }
      for (SchemaFixture.Running<LedgerMaintenanceReport> other : others) {
        assertThat(other.result().worked()).isFalse();
      }
      connection.rollback();
    }
    assertThat(run().worked()).isTrue();
  }

  @Test
  void aTableInUseIsLeftToTheNextRun() throws SQLException {
    partition(-9);
    try (Connection user = fixture.database.connect()) {
      user.setAutoCommit(false);
      fixture.query(user, "select count(*) from @tick");
      LedgerMaintenanceReport report = run();
      assertThat(report.postponed()).isEqualTo(days(-9));
      assertThat(report.dropped()).isEmpty();
    }
    assertThat(run().dropped()).isEqualTo(days(-9));
  }

  @Test
  void creatingAPartitionWaitsForNobodyWhoUsesOtherPartitions() throws SQLException {
    fixture.execute("drop table @schema." + day(3));
    try (Connection user = fixture.database.connect()) {
      user.setAutoCommit(false);
      fixture.query(
          user,
          "insert into @tick (task, nominal, last_nominal, status)"
              + " values ('a', now(), now(), 'RUNNING') returning task");
      assertThat(run().created()).containsExactly(day(3));
      user.rollback();
    }
  }

  @Test
  void daysAndBoundsDoNotDependOnTheSessionsZone() throws SQLException {
    fixture.execute("drop table @schema." + day(1));
    try (Connection connection = fixture.database.connect()) {
      fixture.query(connection, "select set_config('timezone', 'Pacific/Kiritimati', false)");
      fixture.query(connection, "select created from @maintain('5 days')");
    }
    assertThat(partitions()).isEqualTo(days(0, 1, 2, 3));
    assertThat(run()).isEqualTo(nothing());
  }

  /** Jobs have partitions of numbers in the same schema, and a plan may look at them first. */
  @Test
  void partitionsOfOtherTablesAreLeftAloneWhateverThePlan() throws SQLException {
    partition(-5);
    try (Connection connection = fixture.database.connect()) {
      for (String setting : List.of("nestloop", "indexscan", "bitmapscan", "mergejoin")) {
        fixture.query(connection, "select set_config('enable_" + setting + "', 'off', false)");
      }
      assertThat(fixture.query(connection, "select dropped from @maintain('3 days')"))
          .containsExactly("{" + day(-5) + "}");
    }
    assertThat(partitions()).isEqualTo(days(0, 1, 2, 3));
  }

  @Test
  void aRetentionThatWouldDropTodayIsRefused() {
    assertThatThrownBy(
            () ->
                LedgerMaintenance.of(
                    fixture.database::connect, fixture.schema, Duration.ofHours(23)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("retention must be 1 to 36500 days, but was PT23H");
    assertThatThrownBy(() -> fixture.query("select * from @maintain('23 hours')"))
        .hasRootCauseMessage(
            "ERROR: maintain takes a retention of at least 1 day, 1 to 366 days ahead and batches"
                + " of 1 to 100000, but got 23:00:00, 3, 5000\n"
                + "  Where: PL/pgSQL function "
                + fixture.database.schema()
                + ".maintain(interval,integer,integer) line 15 at RAISE");
  }

  @Test
  void withoutTheSchemaItSaysSo() {
    fixture.execute("drop schema @schema cascade");
    assertThatThrownBy(this::run)
        .isExactlyInstanceOf(SchedulerException.class)
        .hasMessageContaining("maintaining partitions failed");
  }

  private LedgerMaintenanceReport run() {
    return new LedgerMaintenance(fixture.database::connect, fixture.schema, Duration.ofDays(3), 20)
        .run();
  }

  private static LedgerMaintenanceReport nothing() {
    return new LedgerMaintenanceReport(
        true, List.of(), List.of(), List.of(), List.of(), 0, 0, 0, false);
  }

  private static String ended(int day) {
    String at = "now() + interval '" + day + " days'";
    return "('ended', " + at + ", " + at + ", 'ENDED', 'SUCCEEDED', " + at + ")";
  }

  private void partition(int day) {
    fixture.execute(
        fixture
            .query(
                "select format('create table @schema.%I partition of @tick for values from (%L) to"
                    + " (%L)', '"
                    + day(day)
                    + "', d, d + interval '1 day') from (select date_trunc('day', now() at time"
                    + " zone 'UTC') at time zone 'UTC' + interval '"
                    + day
                    + " days' as d) x")
            .get(0));
  }

  private String day(int offset) {
    return days(offset).get(0);
  }

  private List<String> days(int... offsets) {
    List<String> names = new ArrayList<>();
    for (int offset : offsets) {
      names.addAll(
          fixture.query(
              "select to_char((now() at time zone 'UTC')::date + "
                  + offset
                  + ", '\"tick_\"YYYYMMDD')"));
    }
    return names;
  }

  private List<String> partitions() {
    return fixture.query(
        "select relname from pg_class join pg_inherits on inhrelid = pg_class.oid"
            + " where inhparent = '@tick'::regclass and relname <> 'tick_other' order by 1");
  }
}
