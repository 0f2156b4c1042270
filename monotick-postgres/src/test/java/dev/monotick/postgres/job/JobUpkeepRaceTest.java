package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.schema.JobCountFolder;
import dev.monotick.postgres.schema.JobMaintenance;
import dev.monotick.spi.job.ClaimedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replicas at work while partitions come and go and counts are summed up. */
@Tag("thorough")
@Timeout(120)
final class JobUpkeepRaceTest {

  private static final int ROUNDS = 15;
  private static final int DAYS = 4;

  @Test
  void nobodyLosesAJobOrACount() throws Exception {
    try (JobFixture fixture = new JobFixture();
        KeptPool pool = new KeptPool(fixture.database::connect, 4)) {
      SchemaName schema = new SchemaName(fixture.database.schema());
      JobCountFolder sums =
          new JobCountFolder(new Database(pool, fixture.database::connect, schema));
      JobMaintenance maintenance =
          JobMaintenance.of(fixture.database::connect, schema, Duration.ofDays(3));
      AtomicBoolean done = new AtomicBoolean();
      ExecutorService threads = Executors.newFixedThreadPool(4);
      int completed = 0;
      List<Callable<Integer>> upkeep =
          List.of(
              () -> {
                int dropped = 0;
                for (int day = 0; day < DAYS; day++) {
                  addDay(fixture, day);
                  dropped += maintenance.run().dropped().size();
                }
                done.set(true);
                return dropped;
              },
              () -> {
                int calls = 0;
                while (!done.get()) {
                  sums.run();
                  calls++;
                }
                return calls;
              });
      try {
        List<Future<Integer>> results = new ArrayList<>();
        results.add(threads.submit(() -> work(fixture, done)));
        results.add(threads.submit(() -> requeue(fixture, done)));
        upkeep.forEach(call -> results.add(threads.submit(call)));
        completed = results.get(0).get();
        assertThat(results.get(1).get()).as("requeued").isPositive();
        results.get(2).get();
        assertThat(results.get(3).get()).isPositive();
      } finally {
        done.set(true);
        threads.shutdownNow();
      }
      for (List<ClaimedJob> rest = fixture.claim(100); !rest.isEmpty(); rest = fixture.claim(100)) {
        fixture.finishAll(rest);
        completed += rest.size();
      }
      long ended = fixture.jobs.counts().get(0).ended();
      assertThat(fixture.counts()).isEqualTo("0 0 0 %d 0 0 %d".formatted(completed, ended));
      assertThat(fixture.query("select count(*) from @job_attempt where outcome = 0"))
          .containsExactly(String.valueOf(completed));
      sums.run();
      assertThat(fixture.counts()).isEqualTo("0 0 0 %d 0 0 %d".formatted(completed, ended));
    }
  }

  private static int work(JobFixture fixture, AtomicBoolean done) {
    int completed = 0;
    for (int round = 0; round < ROUNDS || !done.get(); round++) {
      fixture.add(20);
      List<ClaimedJob> jobs = fixture.claim(15);
      for (boolean counts : fixture.finishAll(jobs).finished()) {
        completed += counts ? 1 : 0;
      }
    }
    return completed;
  }

  /** Cancels what is ready, and brings it back. */
  private static int requeue(JobFixture fixture, AtomicBoolean done) {
    int requeued = 0;
    while (requeued == 0 || !done.get()) {
      List<JobId> cancelled =
          fixture.jobs.list(JobFilter.in(JobState.READY), 5).stream()
              .map(job -> job.id())
              .filter(id -> fixture.jobs.cancel(id, "ann", "round and round"))
              .toList();
      requeued += fixture.jobs.requeue(cancelled, "ann").size();
    }
    return requeued;
  }

  /** Adds an old day, as if it had come and gone. */
  private static void addDay(JobFixture fixture, int day) {
    for (String table : List.of("job", "job_attempt", "job_log")) {
      fixture.execute(
          fixture
              .query(
                  ("select format('create table @%s_old%d partition of @%s for values from (%%s) to"
                          + " (%%s)', @job_first_id(d), @job_first_id(d + interval '1 day'))"
                          + " from (select timestamptz '2026-01-01 00:00Z' + interval '%d days' as d) x")
                      .formatted(table, day, table, day))
              .get(0));
    }
  }
}
