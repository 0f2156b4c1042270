package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.schema.JobMaintenance;
import dev.monotick.postgres.schema.JobMaintenanceReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Days of jobs come and go; what lives stays. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class JobMaintenanceTest {

  private static final List<String> TABLES = List.of("job", "job_attempt", "job_log");
  private static final String NINE_DAYS_AGO = "(now() - interval '9 days')";

  private final int major;
  private ManualJobs fixture;
  private int lane;

  JobMaintenanceTest(int major) {
    this.major = major;
  }

  @BeforeEach
  void prepare() {
    fixture = new ManualJobs(major);
    assumeTrue(
        fixture
            .query(
                "select ((now() + interval '30 seconds') at time zone 'UTC')::date"
                    + " = (now() at time zone 'UTC')::date")
            .equals(List.of("t")),
        "the day is about to change, and with it the names of partitions");
    lane = fixture.lane("mail", "letter", "");
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void migratingCreatesThePartitionsOfTheFirstDays() {
    for (String table : TABLES) {
      assertThat(partitions(table))
          .containsExactly(day(table, 0), day(table, 1), day(table, 2), day(table, 3));
    }
    assertThat(run()).isEqualTo(nothing());
    JobId id = fixture.attempt(fixture.job(lane), 1, Outcome.SUCCEEDED);
    line(id);
    assertThat(
            fixture.query(
                "select tableoid::regclass::text from @job union all"
                    + " select tableoid::regclass::text from @job_attempt union all"
                    + " select tableoid::regclass::text from @job_log"))
        .containsExactly(
            inSchema(day("job", 0)), inSchema(day("job_attempt", 0)), inSchema(day("job_log", 0)));
  }

  @Test
  void aMissingDayIsCreatedLikeTheOthers() {
    for (String table : TABLES) {
      fixture.execute("drop table @" + day(table, 2));
    }
    assertThat(run().created())
        .containsExactly(day("job", 2), day("job_attempt", 2), day("job_log", 2));
    assertThat(
            fixture.query(
                "select indexdef from pg_indexes where tablename = '%s' and schemaname = '%s'"
                    .formatted(day("job_attempt", 2), fixture.test.schema())))
        .hasSize(2)
        .anyMatch(index -> index.contains("UNIQUE"))
        .anyMatch(index -> index.contains("WHERE (outcome = ANY"));
    assertThat(run()).isEqualTo(nothing());
  }

  @Test
  void aDayWhoseJobsAreElsewhereAlreadyGetsNoPartition() {
    fixture.execute("drop table @" + day("job", 2));
    fixture.jobAt("(now() + interval '2 days')", lane, "", "");
    assertThat(run().created()).isEmpty();
  }

  @Test
  void aDroppedDayKeepsWhatLives() {
    days(-9);
    Map<JobId, JobState> alive = new LinkedHashMap<>();
    alive.put(fixture.ready(old(), lane, 0), JobState.READY);
    alive.put(fixture.ready(old(), -lane, 0), JobState.READY);
    alive.put(fixture.blocked(old(), lane, 1, "k"), JobState.READY);
    alive.put(fixture.delayed(old(), lane, "now() + interval '1 day'", false), JobState.SCHEDULED);
    alive.put(fixture.gated(old(), lane, "null"), JobState.AWAITING_APPROVAL);
    alive.put(fixture.after(old(), lane, 1), JobState.SCHEDULED);
    alive.put(fixture.dead(old(), lane), JobState.DEAD);
    JobId claimed = old();
    fixture.claimed(UUID.randomUUID(), lane, claimed);
    alive.put(claimed, JobState.RUNNING);
    JobId lately = fixture.attempt(old(), 1, Outcome.SUCCEEDED);
    alive.put(lately, JobState.SUCCEEDED);
    JobId keyed = fixture.attemptAt(NINE_DAYS_AGO, old(), 1, Outcome.SUCCEEDED);
    fixture.execute(
        "insert into @job_unique values (gen_random_uuid(), %s, now() + interval '1 day')"
            .formatted(keyed));
    alive.put(keyed, JobState.SUCCEEDED);
    alive.keySet().forEach(this::line);
    JobId over = fixture.attemptAt(NINE_DAYS_AGO, old(), 1, Outcome.SUCCEEDED);
    line(over);

    JobMaintenanceReport report = run();
    assertThat(report.dropped())
        .containsExactly(day("job_attempt", -9), day("job_log", -9), day("job", -9));
    assertThat(report.jobsMoved()).isEqualTo(alive.size());
    assertThat(report.unfinished()).isFalse();
    alive.forEach(
        (id, state) -> {
          assertThat(fixture.reader.find(id).orElseThrow().state()).isEqualTo(state);
          assertThat(fixture.reader.log(id, 9)).hasSize(1);
        });
    assertThat(fixture.attempts(lately)).hasSize(1);
    assertThat(fixture.reader.find(over)).isEmpty();
    assertThat(fixture.reader.log(over, 9)).isEmpty();
    assertThat(fixture.number("select count(*) from @job_other")).isEqualTo(alive.size());
    assertThat(run()).isEqualTo(nothing());

    fixture.execute("delete from @job_ready");
    fixture.execute("update @job_unique set until = now() - interval '1 hour'");
    fixture.execute("update @job_attempt set ended_at = " + NINE_DAYS_AGO);
    JobMaintenanceReport next = run();
    assertThat(next.jobsDeleted())
        .isEqualTo(5); // ready, as the blocked one was let go; lately, keyed
    assertThat(next.rowsDeleted()).isEqualTo(1);
    assertThat(fixture.number("select count(*) from @job")).isEqualTo(alive.size() - 5);
    assertThat(fixture.number("select count(*) from @job_log")).isEqualTo(alive.size() - 5);
    assertThat(fixture.control.cancel(claimed, "ann", "late")).isTrue();
  }

  @Test
  void aDayWithManyLivingJobsIsKept() {
    days(-9);
    for (int i = 0; i < 9; i++) {
      fixture.ready(old(), lane, 0);
    }
    assertThat(fixture.query("select kept, dropped from @maintain_jobs(interval '3 days', 3, 2)"))
        .containsExactly(
            "{%s,%s,%s}|{}".formatted(day("job_attempt", -9), day("job_log", -9), day("job", -9)));
    assertThat(run().dropped()).hasSize(3);
    assertThat(fixture.number("select count(*) from @job")).isEqualTo(9);
  }

  @Test
  void manyOldDaysAreDroppedInOneRun() {
    for (int day = -20; day <= -9; day++) {
      days(day);
    }
    JobMaintenanceReport report = run();
    assertThat(report.dropped()).hasSize(36);
    assertThat(report.unfinished()).isFalse();
  }

  @Test
  void queuesAndTenantsMayForgetEarlier() {
    days(-9);
    days(-3);
    int acme = fixture.lane("mail", "letter", "acme");
    int other = fixture.lane("other", "letter", "");
    int foreign = fixture.lane("other", "letter", "acme");
    List<JobId> kept = new ArrayList<>();
    List<JobId> forgotten = new ArrayList<>();
    for (int each : List.of(lane, acme, other, foreign)) {
      for (int days : List.of(9, 3)) {
        String time = "(now() - interval '%d days')".formatted(days);
        JobId id = fixture.attemptAt(time, fixture.jobAt(time, each, "", ""), 1, Outcome.SUCCEEDED);
        boolean gone = each == acme || (each == lane && days == 9) || each == foreign;
        (gone ? forgotten : kept).add(id);
      }
    }
    kept.add(fixture.dead(fixture.jobAt(NINE_DAYS_AGO, acme, "", ""), acme));
    kept.add(fixture.attempt(fixture.jobAt(NINE_DAYS_AGO, acme, "", ""), 1, Outcome.SUCCEEDED));
    fixture.settings.retain("mail", "", Duration.ofDays(5));
    fixture.settings.retain("mail", "acme", Duration.ofDays(2));
    fixture.settings.retain("", "acme", Duration.ofDays(1));
    fixture.settings.retain("other", "", Duration.ofDays(300)); // longer than all: no effect
    JobMaintenance maintenance =
        JobMaintenance.of(fixture.test::connect, fixture.schema, Duration.ofDays(30));
    // The rule for a queue counts before the one for a tenant.
    forgotten.removeIf(id -> laneOf(id) == foreign && kept.add(id));
    assertThat(maintenance.run().jobsDeleted()).isEqualTo(forgotten.size());
    assertThat(forgotten).hasSize(3).allSatisfy(id -> assertThat(find(id)).isFalse());
    assertThat(kept).allSatisfy(id -> assertThat(find(id)).isTrue());
    assertThat(maintenance.run().jobsDeleted()).isZero();
  }

  private int laneOf(JobId id) {
    return (int) fixture.number("select lane from @job where id = " + id);
  }

  private boolean find(JobId id) {
    return fixture.reader.find(id).isPresent();
  }

  @Test
  void rowsThatMeanNothingAnyMoreAreDeletedInBatches() {
    fixture.execute(
        "insert into @job_unique select gen_random_uuid(), n, now() - interval '1 s'"
            + " from generate_series(1, 7) n");
    fixture.execute(
        "insert into @job_unique values (gen_random_uuid(), 1, null),"
            + " (gen_random_uuid(), 1, now() + interval '1 day')");
    JobId waiting = fixture.gated(fixture.job(lane), lane, "null");
    JobId ready = fixture.ready(lane);
    fixture.execute(
        "insert into @job_expiry values (now() - interval '2 hours', %s), (now() - interval '2 hours', %s), (now() - interval '2 hours', 7), (now() + interval '2 hours', 7)"
            .formatted(waiting, ready));
    JobId over = fixture.attempt(fixture.job(lane), 1, Outcome.SUCCEEDED);
    fixture.execute(
        "insert into @job_run (job_id, run, replica, started_at) values (%s, 1, gen_random_uuid(), now()), (%s, 1, gen_random_uuid(), now())"
            .formatted(over, ready));
    assertThat(
            fixture.query(
                "select rows_deleted, unfinished from @maintain_jobs(interval '3 days', 3, 5)"))
        .containsExactly("7|t");
    assertThat(run().rowsDeleted()).isEqualTo(2);
    assertThat(fixture.number("select count(*) from @job_unique")).isEqualTo(2);
    assertThat(fixture.number("select count(*) from @job_expiry")).isEqualTo(3);
    assertThat(fixture.query("select job_id from @job_run")).containsExactly(ready.toString());
  }

  @Test
  void jobsThatWaitForARunOfTheirKeyInVainAreLetGo() {
    fixture.execute(
        "insert into @job_limit (id, kind, tenant, per_key, running) overriding system value"
            + " values (1, 'letter', '', true, 1)");
    fixture.execute("insert into @job_limit_use values (1, '', 'busy', 1), (1, '', 'idle', 0)");
    JobId busy = fixture.blocked(fixture.job(lane), lane, 1, "busy");
    JobId idle = fixture.blocked(fixture.job(lane), lane, 1, "idle");
    JobId unlimited = fixture.blocked(fixture.job(lane), lane, 2, "busy");
    run();
    assertThat(fixture.places(busy)).containsExactly("blocked");
    assertThat(fixture.places(idle)).containsExactly("ready " + -lane + " 0 0 8");
    assertThat(fixture.places(unlimited)).containsExactly("ready " + -lane + " 0 0 8");
  }

  @Test
  void aTableInUseIsLeftToTheNextRun() throws SQLException {
    days(-9);
    try (Connection user = fixture.test.connect()) {
      user.setAutoCommit(false);
      fixture.query(user, "select count(*) from @job_attempt");
      JobMaintenanceReport report = run();
      assertThat(report.postponed()).contains(day("job_attempt", -9));
      assertThat(report.dropped()).doesNotContain(day("job_attempt", -9));
    }
    assertThat(run().dropped()).contains(day("job_attempt", -9));
    assertThat(partitions("job")).hasSize(4);
  }

  @Test
  void ofManyCallersOneWorks() throws SQLException {
    try (Connection connection = fixture.test.connect()) {
      connection.setAutoCommit(false);
      fixture.query(connection, "select * from @maintain_jobs('5 days')");
      assertThat(run().worked()).isFalse();
      connection.rollback();
    }
    assertThat(run().worked()).isTrue();
  }

  @Test
  void aRetentionThatWouldDropTodayIsRefused() {
    assertThatThrownBy(
            () -> JobMaintenance.of(fixture.test::connect, fixture.schema, Duration.ofHours(23)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("retention must be 1 to 36500 days, but was PT23H");
    assertThatThrownBy(() -> fixture.query("select * from @maintain_jobs('23 hours')"))
        .rootCause()
        .hasMessageContaining("maintain_jobs takes a retention of at least 1 day")
        .hasMessageContaining("but got 23:00:00, 3, 5000");
  }

  private JobMaintenanceReport run() {
    return JobMaintenance.of(fixture.test::connect, fixture.schema, Duration.ofDays(3)).run();
  }

  private static JobMaintenanceReport nothing() {
    return new JobMaintenanceReport(
        true, List.of(), List.of(), List.of(), List.of(), 0, 0, 0, false);
  }

  private JobId old() {
    return fixture.jobAt(NINE_DAYS_AGO, lane, "", "");
  }

  private void line(JobId id) {
    fixture.execute(
        "insert into @job_log (job_id, at, text) values (%s, now(), 'x')".formatted(id));
  }

  /** Creates the partitions of a day. */
  private void days(int offset) {
    for (String table : TABLES) {
      fixture.execute(
          fixture
              .query(
                  "select format('create table @%s partition of @%s for values from (%%L) to (%%L)', @job_first_id(d), @job_first_id(d + interval '1 day')) from (select date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' + interval '%d days' as d) x"
                      .formatted(day(table, offset), table, offset))
              .get(0));
    }
  }

  private String day(String table, int offset) {
    return fixture
        .query(
            "select '%s' || to_char((now() at time zone 'UTC')::date + %d, '\"_\"YYYYMMDD')"
                .formatted(table, offset))
        .get(0);
  }

  private String inSchema(String table) {
    return fixture.test.schema() + "." + table;
  }

  private List<String> partitions(String table) {
    return fixture.query(
        "select relname from pg_class join pg_inherits on inhrelid = pg_class.oid where inhparent = '@%s'::regclass and relname !~ 'other' order by 1"
            .formatted(table));
  }
}
