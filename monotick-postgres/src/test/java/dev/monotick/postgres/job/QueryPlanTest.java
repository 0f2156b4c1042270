package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.JobState;
import dev.monotick.job.UniqueKey;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How the server finds jobs: always by their keys, whatever it believes to know of the tables. The
 * plans are those of the statements that really ran, inside of the functions.
 */
@Tag("thorough")
final class QueryPlanTest {

  private static final Pattern SCAN_OF_HOT_TABLE =
      Pattern.compile(
          "Seq Scan on (job|job_[0-9]+|job_other|job_attempt\\S*|job_ready|job_delayed|job_unique"
              + "|job_expiry|job_wait|job_approval|job_blocked|job_limit_hold|job_limit_use|job_run"
              + "|job_dead|job_count_delta) ");

  /** Small, and read by those who look for one job; but not by turns. */
  private static final Pattern SCAN_OF_CLAIMS = Pattern.compile("Seq Scan on job_claim ");

  private final JobFixture fixture = new JobFixture();
  private final StringBuilder plans = new StringBuilder();

  /** What the server knows is up to the test; it must not look by itself meanwhile. */
  @BeforeEach
  void holdStill() {
    fixture
        .query(
            "select format('alter table %I.%I set (autovacuum_enabled = off)', nspname, relname)"
                + " from pg_class c join pg_namespace n on n.oid = relnamespace"
                + " where relkind = 'r' and nspname = '"
                + fixture.database.schema()
                + "'")
        .forEach(fixture::execute);
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @ParameterizedTest
  @CsvSource({"0, EMPTY", "0, FRESH", "10000, EMPTY", "10000, FRESH", "10000, STALE"})
  void nothingThatHappensAllTheTimeReadsATable(int jobs, Statistics statistics) {
    show(jobs, statistics);
  }

  @Test
  @Tag("thorough")
  void norWithAMillionJobs() {
    fixture.execute("analyze"); // as if all were empty for ever
    add(1_000_000);
    assertThat(believedReady()).isZero();
    showPlans();
    forgetStatistics();
    assertThat(believedReady()).isEqualTo(-1);
    showPlans();
    fixture.execute("analyze");
    assertThat(believedReady()).isGreaterThan(900_000);
    showPlans();
  }

  /** As if nobody had ever looked at the tables. */
  private void forgetStatistics() {
    String ours =
        " in (select oid from pg_class where relkind in ('r', 'p') and relnamespace = '%s'::regnamespace)"
            .formatted(fixture.database.schema());
    fixture.execute("delete from pg_statistic where starelid" + ours);
    fixture.execute("update pg_class set reltuples = -1, relpages = 0 where oid" + ours);
  }

  /** How many jobs the server believes to be ready; -1 if it has no idea. */
  private long believedReady() {
    return Long.parseLong(
        fixture
            .query("select reltuples::bigint from pg_class where oid = '@job_ready'::regclass")
            .get(0));
  }

  /** Dead rows that an old snapshot keeps are older than those that count. */
  @ParameterizedTest
  @CsvSource({"EMPTY", "FRESH", "STALE"})
  void whoeverGivesAJobBeginsWithTheYoungestOpenTurn(Statistics statistics) {
    if (statistics == Statistics.STALE) {
      fixture.execute("analyze @job_offer");
    }
    fixture.execute(
        "insert into @job_offer select gen_random_uuid(), n, 1, '{1}', 'c', now() from"
            + " generate_series(1, 2000) as n");
    if (statistics == Statistics.FRESH) {
      fixture.execute("analyze @job_offer");
    }
    JobStore explained = fixture.open(explaining());
    explained.enqueue(EnqueueRequest.of(JobFixture.drafts(1)));
    assertThat(plans).contains("Index Scan Backward using job_offer_since on job_offer");
  }

  /** What the server was told of its tables. */
  enum Statistics {
    EMPTY,
    FRESH,
    STALE
  }

  private void show(int jobs, Statistics statistics) {
    if (statistics == Statistics.STALE) {
      fixture.execute("analyze"); // as if all were empty for ever
    }
    add(jobs);
    if (statistics == Statistics.FRESH) {
      fixture.execute("analyze");
    }
    showPlans();
  }

  private void add(int jobs) {
    for (int left = jobs; left > 0; left -= 10_000) {
      fixture.add(Math.min(left, 10_000));
    }
  }

  private void showPlans() {
    JobStore explained = fixture.open(explaining());
    plans.setLength(0);
    turnsOf(explained);
    assertThat(plans).contains("Index Scan using job_ready_pkey on job_ready");
    for (String key :
        List.of(
            "job_unique_pkey",
            "job_expiry_pkey",
            "job_dead_pkey",
            "job_wait_pkey",
            "job_delayed_id")) {
      assertThat(found(Pattern.compile("using " + key + " on "))).as(key).isNotEmpty();
    }
    assertThat(found(SCAN_OF_HOT_TABLE)).isEmpty();
  }

  private List<String> found(Pattern scan) {
    return plans.toString().lines().filter(line -> scan.matcher(line).find()).toList();
  }

  /** Adds, claims, ends in every way, repeats, rescues, decides and looks. */
  private void turnsOf(JobStore store) {
    claimsAndEnds(store);
    waitsAndDecisions(store);
    assertThat(plans).contains("wanted");
  }

  private void claimsAndEnds(JobStore store) {
    List<JobId> added =
        store.enqueue(EnqueueRequest.of(JobFixture.drafts(20))).stream().map(Enqueued::id).toList();
    List<ClaimedJob> claimed = fixture.wanting(10).with(store).jobs();
    assertThat(claimed).hasSize(10);
    List<Completion> ends =
        List.of(
            success(claimed.get(0)),
            success(claimed.get(1)),
            JobFixture.end(claimed.get(2), new Completion.Retried("no", Duration.ZERO)),
            JobFixture.end(claimed.get(3), new Completion.Died("no")),
            JobFixture.end(claimed.get(4), new Completion.HandedBack()));
    fixture.wanting(fixture.replica, 10, ends).with(store);
    fixture.wanting(fixture.replica, 10, ends).with(store);
    MemberId gone = fixture.join();
    fixture.wanting(gone, 5, List.of()).with(store);
    assertThat(found(SCAN_OF_CLAIMS)).isEmpty();
    fixture.declareGone(gone);
    store.rescue();
    assertThat(store.find(added.get(7))).isPresent();
    assertThat(store.list(added)).hasSize(20);
    assertThat(store.requeue(List.of(claimed.get(3).id()), "ann")).hasSize(1);
    for (ClaimedJob job : claimed.subList(5, 7)) {
      assertThat(store.cancel(job.id(), "ann", "not wanted")).isTrue(); // is running
    }
    assertThat(store.cancel(added.get(19), "ann", "not wanted")).isTrue();
  }

  /** What waits for its time, its key, somebody's word or another job. */
  private void waitsAndDecisions(JobStore store) {
    Instant now = store.now();
    Duration hour = Duration.ofHours(1);
    String key = "key " + now; // another each time
    List<JobDraft> drafts =
        List.of(
            waiting(new JobStart(hour, Optional.empty()), Optional.empty(), key),
            waiting(new JobStart(hour, Optional.empty()), Optional.empty(), key),
            waiting(new JobStart(Duration.ZERO, Optional.of(now)), Optional.empty(), key + "b"),
            waiting(new JobStart(hour, Optional.empty()), Optional.of(now), key + "c"));
    List<JobId> ids = store.enqueue(EnqueueRequest.of(drafts)).stream().map(Enqueued::id).toList();
    assertThat(ids.get(1)).as("has the same key").isEqualTo(ids.get(0));
    List<Enqueued> chain =
        store.enqueue(
            new EnqueueRequest(
                JobFixture.drafts(3), Follow.CHAIN, Optional.empty(), Optional.empty()));
    assertThat(store.cancel(chain.get(0).id(), "ann", "with all that follow")).isTrue();
    fixture.wanting(1).with(store); // makes due what is, and expires
    assertThat(store.find(ids.get(3)).orElseThrow().state()).isEqualTo(JobState.EXPIRED);
    assertThat(store.reschedule(ids.get(0), now.plus(hour.multipliedBy(2)))).isTrue();
    assertThat(store.cancel(ids.get(0), "ann", "not wanted")).isTrue();
    assertThat(store.requeue(List.of(ids.get(0), ids.get(3)), "ann")).hasSize(2);
  }

  private static JobDraft waiting(JobStart start, Optional<Instant> deadline, String key) {
    JobDraft draft = JobFixture.draft("waits");
    JobRules rules = draft.rules();
    return new JobDraft(
        draft.lane(),
        draft.version(),
        draft.payload(),
        start,
        new JobRules(
            rules.maxAttempts(), rules.timeout(), deadline, rules.effect(), rules.approval()),
        Optional.of(new UniqueKey(key, Optional.empty())),
        draft.limitKey(),
        draft.headers());
  }

  private DataSource explaining() {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
              }
              Connection connection = fixture.database.connect();
              try (Statement statement = connection.createStatement()) {
                statement.execute("load 'auto_explain'");
                statement.execute("set auto_explain.log_min_duration = 0");
                statement.execute("set auto_explain.log_nested_statements = on");
                statement.execute("set client_min_messages = log");
              }
              return listening(connection);
            });
  }

  /** Collects what the server says when a statement is closed. */
  private Connection listening(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(connection, arguments);
                return result instanceof PreparedStatement statement
                    ? listening(statement)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private PreparedStatement listening(PreparedStatement statement) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                collect(statement.getWarnings());
              }
              try {
                return method.invoke(statement, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void collect(@Nullable SQLWarning first) {
    for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
      plans.append(warning.getMessage()).append('\n');
    }
  }
}
