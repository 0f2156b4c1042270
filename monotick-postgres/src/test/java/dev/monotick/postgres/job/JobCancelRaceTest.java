package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobAttempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are cancelled while replicas claim, hand back, retry and complete them. */
@Timeout(120)
final class JobCancelRaceTest {

  private static final int JOBS = 400;
  private static final int REPLICAS = 3;

  @Test
  void ofAllWhoEndAJobOneDoes() throws Exception {
    try (JobsByHand fixture = new JobsByHand(TestDatabase.NEWEST)) {
      int lane = fixture.lane("mail", "letter", "");
      List<JobId> ids = new ArrayList<>();
      for (int i = 0; i < JOBS; i++) {
        ids.add(fixture.ready(lane));
      }
      List<Callable<List<JobId>>> calls = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        List<JobId> mine = new ArrayList<>(ids);
        Collections.shuffle(mine, new Random(i));
        calls.add(() -> mine.stream().filter(id -> cancel(fixture, id)).toList());
      }
      for (int i = 0; i < REPLICAS; i++) {
        Replica replica = new Replica(fixture, lane, i);
        calls.add(replica::work);
      }
      ExecutorService threads = Executors.newFixedThreadPool(calls.size());
      List<JobId> cancelled = new ArrayList<>();
      try {
        for (Future<List<JobId>> call : threads.invokeAll(calls)) {
          cancelled.addAll(call.get());
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(cancelled).doesNotHaveDuplicates();
      int succeeded = 0;
      for (JobId id : ids) {
        List<String> ends =
            fixture.attempts(id).stream()
                .filter(end -> end.contains("SUCCEEDED") || end.contains("CANCELLED"))
                .toList();
        assertThat(ends).as("ends of job " + id).hasSize(1);
        assertThat(ends.get(0).contains("CANCELLED")).isEqualTo(cancelled.contains(id));
        assertThat(fixture.places(id)).isEmpty();
        JobState state = fixture.reader.find(id).orElseThrow().state();
        assertThat(state)
            .isEqualTo(cancelled.contains(id) ? JobState.CANCELLED : JobState.SUCCEEDED);
        succeeded += cancelled.contains(id) ? 0 : 1;
      }
      assertThat(succeeded).as("neither side won all").isBetween(1, JOBS - 1);
      assertThat(fixture.counts()).isEqualTo("0|0|0|" + succeeded + "|0|0|" + cancelled.size());
    }
  }

  private static boolean cancel(JobsByHand fixture, JobId id) {
    return fixture.control.cancel(id, "ann", "race");
  }

  /** Claims and ends jobs by the same rules as the store, one batch in a transaction. */
  private static final class Replica {

    private final JobsByHand fixture;
    private final int lane;
    private final UUID id = UUID.randomUUID();
    private final Random random;
    private long number;

    Replica(JobsByHand fixture, int lane, int seed) {
      this.fixture = fixture;
      this.lane = lane;
      this.random = new Random(seed);
    }

    List<JobId> work() throws SQLException {
      try (Connection connection = fixture.test.connect()) {
        while (claim(connection) || !isDone(connection)) {
          for (String job :
              fixture.query(
                  connection,
                  "select unnest(ids), unnest(runs) from @job_claim where replica = '%s'"
                      .formatted(id))) {
            String[] parts = job.split("\\|", -1);
            end(connection, parts[0], Integer.parseInt(parts[1]));
          }
          fixture.query(
              connection,
              "delete from @job_claim where replica = '%s' returning number".formatted(id));
        }
      }
      return List.of();
    }

    private boolean isDone(Connection connection) throws SQLException {
      return fixture
          .query(connection, "select 1 from @job_ready union all select 1 from @job_claim limit 1")
          .isEmpty();
    }

    private boolean claim(Connection connection) throws SQLException {
      return !fixture
          .query(
              connection,
              """
              with gone as (
                delete from @job_ready where ctid = any (array(
                  select ctid from @job_ready where lane in (%d, -%d) order by id limit 5
                     for update skip locked))
                returning id, run),
              claimed as (
                insert into @job_claim (replica, number, ids, lanes, runs, attempts, flags)
                select '%s', %d, array_agg(id), array_agg(%d), array_agg(run + 1), array_agg(1),
                       array_agg(0)
                  from gone having count(*) > 0),
              counted as (
                insert into @job_delta
                select %d, 0, -count(*), count(*), 0, 0, 0, 0 from gone having count(*) > 0)
              select id from gone
              """
                  .formatted(lane, lane, id, ++number, lane, lane))
          .isEmpty();
    }

    /** Half of the runs are handed back, so that jobs go round. */
    private void end(Connection connection, String job, int run) throws SQLException {
      boolean back = random.nextBoolean();
      Outcome outcome = back ? Outcome.HANDED_BACK : Outcome.SUCCEEDED;
      fixture.query(
          connection,
          """
          with new as (
            insert into @job_attempt (job_id, ended_at, took_micros, run, attempt, outcome)
            values (%s, now(), 0, %d, 1, %d) on conflict do nothing returning job_id, run),
          ready as (
            insert into @job_ready (id, ready_at, lane, run, attempt, flags)
            select job_id, now(), -%d, run, 0, 0 from new where %b),
          counted as (
            insert into @job_delta
            select %d, 0, %d, -1, %d, 0, 0, 0 from new)
          select job_id from new
          """
              .formatted(
                  job,
                  run,
                  Outcomes.stored(outcome),
                  lane,
                  back,
                  lane,
                  back ? 1 : 0,
                  back ? 0 : 1));
    }
  }
}
