package dev.monotick.chaos.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.process.StallWatch;
import dev.monotick.chaos.workload.PlannedJobKinds;
import dev.monotick.job.JobId;
import dev.monotick.postgres.PostgresStore;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a journal tells of a job that was handed to a replica that could not hear of it, rescued,
 * and done by another, 2.3 s before the first replica hears of it and begins.
 */
@Tag("thorough")
@Timeout(120)
class JobHistoryTest {

  private static final long LATE = Duration.ofMillis(2_300).toNanos();

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  private final long end = System.nanoTime();
  private final Instant endedAt = Instant.now();
  private final List<Journal.Entry> journal = new ArrayList<>();

  @Test
  void aHandlerThatBeginsAfterTheEndIsFoundUnlessItsProcessStoodStill() throws Exception {
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"));
        PostgresStore store = store(server);
        Connection connection = server.connect()) {
      JobId job = Monotick.jobs(store).enqueue(PlannedJobKinds.PLAIN.of("0 0 false false")).id();
      JobHistory.prepare(connection, StormTables.STORE);
      connection.setAutoCommit(false);
      tell("r2", end, WallClock.KIND, "wall", endedAt);
      added(job, "plain");
      word("r2", job, 2, end, "plain", "begin");
      word("r2", job, 2, end, "plain", "done");
      tell("nemesis", end - LATE, "loss", "whom", "r1");
      word("r1", job, 1, end + LATE, "plain", "begin");

      assertThat(begunAfterEnd(connection, job))
          .hasSize(2)
          .allMatch(text -> text.contains("on r1"));

      // A process that stood still before the end, and after it, has no excuse.
      tell("nemesis", end - 2 * LATE, "pause", "whom", "r1");
      tell("nemesis", end - LATE, "resume", "whom", "r1");
      tell("nemesis", end + LATE / 2, "pause", "whom", "r1");
      tell("nemesis", end + LATE - 1_000_000, "resume", "whom", "r1");
      assertThat(begunAfterEnd(connection, job)).hasSize(2);

      tell("r1", end + LATE - 1_000_000, StallWatch.KIND, "since", end - LATE);
      assertThat(begunAfterEnd(connection, job)).isEmpty();
    }
  }

  /** A run whose start could not be recorded is put off before its handler is called. */
  @Test
  void onlyARunThatNeedsAStartRecordMayBePutOffWithoutHavingBegun() throws Exception {
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"));
        PostgresStore store = store(server);
        Connection connection = server.connect()) {
      JobId plain = Monotick.jobs(store).enqueue(PlannedJobKinds.PLAIN.of("0 0 false false")).id();
      JobId once = Monotick.jobs(store).enqueue(PlannedJobKinds.ONCE.of("0 0 false false")).id();
      JobHistory.prepare(connection, StormTables.STORE);
      connection.setAutoCommit(false);
      tell("r1", end, WallClock.KIND, "wall", endedAt);
      added(plain, "plain");
      added(once, "once");
      try (Statement statement = connection.createStatement()) {
        for (JobId job : List.of(plain, once)) {
          statement.execute(
              "insert into storm.job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
                  + " values ("
                  + job.value()
                  + ", now(), 0, 1, 1, 2)");
        }
      }

      JobHistory.Result result = JobHistory.check(connection, StormTables.STORE, journal);
      assertThat(result.violations())
          .filteredOn(text -> text.contains("end on record is not what the handler wrote down"))
          .singleElement()
          .asString()
          .contains("1 times", plain.value() + " run 1 outcome 2");
    }
  }

  private void added(JobId job, String kind) {
    tell(
        JobFeed.SOURCE,
        end,
        "added",
        "wish",
        1,
        "id",
        job,
        "new",
        true,
        "kind",
        kind,
        "unique",
        "",
        "limit",
        "",
        "attempts",
        1,
        "succeeds",
        true,
        "asked",
        Instant.EPOCH);
  }

  /** The store has the ends of both runs, one right after the other. */
  private List<String> begunAfterEnd(Connection connection, JobId job) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("delete from storm.job_ready");
      statement.execute(
          "insert into storm.job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)"
              + " select "
              + job.value()
              + ", '"
              + endedAt
              + "'::timestamptz, 0, r, 1, case r when 1 then 6 else 0 end"
              + " from generate_series(1, 2) as r");
      JobHistory.Result result = JobHistory.check(connection, StormTables.STORE, journal);
      List<String> found =
          result.violations().stream()
              .filter(text -> text.startsWith(StormRules.BEGAN + ":"))
              .toList();
      assertThat(result.found().get(StormRules.BEGAN)).isEqualTo(found.size());
      connection.rollback();
      return found;
    }
  }

  private void word(String replica, JobId job, int run, long at, String kind, String word) {
    tell(
        replica, at, "job", "id", job, "run", run, "attempt", 1, "kind", kind, "key", "", "word",
        word);
  }

  private void tell(String source, long at, String kind, Object... fields) {
    journal.add(new Journal.Entry(source, HistoryEvent.at(at, kind, fields)));
  }

  private static PostgresStore store(EmbeddedServer server) {
    InetSocketAddress address = server.address();
    return PostgresStore.builder()
        .url(server.url(address.getAddress().getHostAddress(), address.getPort()))
        .user(server.user())
        .password(server.password())
        .schema(StormTables.STORE)
        .build();
  }
}
