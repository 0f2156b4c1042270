package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobStore;
import dev.monotick.replica.ReplicaId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How the server finds jobs: always by their keys, whatever it believes to know of the tables. The
 * plans are those of the statements that really ran, inside of the functions.
 */
@Tag("thorough")
final class JobPlanTest {

  private static final Pattern SCAN_OF_HOT_TABLE =
      Pattern.compile(
          "Seq Scan on (job|job_[0-9]+|job_other|job_attempt\\S*|job_ready|job_delayed|job_unique"
              + "|job_expiry|job_wait|job_gate|job_blocked|job_hold|job_use|job_note) ");

  private final JobFixture fixture = new JobFixture();
  private final StringBuilder plans = new StringBuilder();

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
    show(1_000_000, Statistics.STALE);
  }

  /** Dead rows that an old snapshot keeps are older than those that count. */
  @ParameterizedTest
  @CsvSource({"EMPTY", "FRESH", "STALE"})
  void whoeverGivesAJobBeginsWithTheYoungestOpenTurn(Statistics statistics) {
    if (statistics == Statistics.STALE) {
      fixture.execute("analyze @job_open_turn");
    }
    fixture.execute(
        "insert into @job_open_turn select gen_random_uuid(), n, 1, '{1}', 'c', now() from"
            + " generate_series(1, 2000) as n");
    if (statistics == Statistics.FRESH) {
      fixture.execute("analyze @job_open_turn");
    }
    JobStore explained = fixture.open(explaining());
    explained.enqueue(JobOrder.of(JobFixture.drafts(1)));
    assertThat(plans).contains("Index Scan Backward using job_open_turn_since on job_open_turn");
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
    for (int left = jobs; left > 0; left -= 10_000) {
      fixture.add(Math.min(left, 10_000));
    }
    if (statistics == Statistics.FRESH) {
      fixture.execute("analyze");
    }
    JobStore explained = fixture.open(explaining());
    plans.setLength(0);
    turnsOf(explained);
    assertThat(plans).contains("Index Scan using job_ready_pkey on job_ready");
    assertThat(plans.toString().lines().filter(line -> SCAN_OF_HOT_TABLE.matcher(line).find()))
        .isEmpty();
  }

  /** Adds, claims, ends in every way, repeats, rescues and looks. */
  private void turnsOf(JobStore store) {
    List<JobId> added =
        store.enqueue(JobOrder.of(JobFixture.drafts(20))).stream().map(Enqueued::id).toList();
    List<ClaimedJob> claimed = store.turn(fixture.wanting(10)).jobs();
    assertThat(claimed).hasSize(10);
    List<JobFinish> ends =
        List.of(
            success(claimed.get(0)),
            success(claimed.get(1)),
            JobFixture.end(claimed.get(2), new JobFinish.Retried("no", Duration.ZERO)),
            JobFixture.end(claimed.get(3), new JobFinish.Died("no")),
            JobFixture.end(claimed.get(4), new JobFinish.HandedBack()));
    store.turn(fixture.wanting(fixture.replica, 10, ends));
    store.turn(fixture.wanting(fixture.replica, 10, ends));
    ReplicaId gone = fixture.join();
    store.turn(fixture.wanting(gone, 5, List.of()));
    fixture.declareGone(gone);
    store.rescue();
    assertThat(store.find(added.get(7))).isPresent();
    assertThat(store.list(added)).hasSize(20);
    assertThat(plans).contains("wanted");
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
