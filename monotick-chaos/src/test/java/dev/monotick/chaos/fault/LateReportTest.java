package dev.monotick.chaos.fault;

import static dev.monotick.chaos.fault.StrandedReplica.LETTER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.event.MonotickEvent;
import dev.monotick.job.JobId;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.postgres.schema.JobMaintenanceReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A replica is cut off in the middle of a job. Others rescue it, give it up, and it is forgotten;
 * then the replica comes back and reports that the job wants to be tried again.
 */
@Tag("thorough")
@Timeout(120)
class LateReportTest {

  private final StrandedReplica cluster = new StrandedReplica();

  @Test
  void aReportAfterTheJobWasPurgedRevivesNothing() throws Exception {
    reportsAfter(job -> assertThat(cluster.jobs.purge(List.of(job))).contains(job));
  }

  /** Attempts are dropped before the jobs that they are of. */
  @Test
  void aReportAfterTheAttemptsWereDroppedRevivesNothing() throws Exception {
    reportsAfter(
        job -> {
          cluster.execute("delete from @job_dead where id = " + job.value());
          cluster.execute("delete from @job_attempt where job_id = " + job.value());
        });
  }

  /** All jobs have numbers of nine days ago, and so are in partitions of that day. */
  @Test
  void aReportAfterTheRetentionDroppedTheJobRevivesNothing() throws Exception {
    cluster.numberJobsAsDaysAgo(9);
    reportsAfter(
        job -> {
          cluster.execute("delete from @job_dead where id = " + job.value()); // it would be kept
          cluster.run("next"); // what the newest claim of a replica names is kept, too
          cluster.execute("update @job_attempt set ended_at = ended_at - interval '9 days'");
          JobMaintenanceReport report = cluster.maintain(Duration.ofDays(1));
          assertThat(report.dropped())
              .extracting(name -> name.replaceAll("_[0-9]+$", ""))
              .containsExactly("job_attempt", "job_log", "job");
          assertThat(cluster.jobs.find(job)).isEmpty();
        });
  }

  private void reportsAfter(Consumer<JobId> forgetting) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch mayReport = new CountDownLatch(1);
    CountDownLatch reported = new CountDownLatch(1);
    try (cluster) {
      Monotick stranded =
          cluster.startStranded(
              job -> {
                running.countDown();
                awaitUninterruptibly(mayReport);
                return JobOutcome.retryAfter(Duration.ZERO, "once more");
              });
      stranded.subscribe(event -> told(event, reported));
      JobId job = cluster.jobs.enqueue(LETTER.of("long")).id();
      running.await();

      cluster.cut();
      cluster.startOther(
          other -> other.payload().equals("long") ? JobOutcome.fail("no use") : JobOutcome.done());
      cluster.await("end of the job", () -> cluster.is(job, JobState.DEAD));
      forgetting.accept(job);

      mayReport.countDown();
      cluster.heal();
      cluster.deliver();
      reported.await();
      assertThat(cluster.count("job_ready")).as("jobs that are ready again").isZero();
      assertThat(cluster.count("job_delayed")).as("jobs that wait for their time").isZero();
      assertThat(cluster.begun)
          .filteredOn(text -> text.contains("long"))
          .containsExactly("stranded long 1", "other long 2");
    }
  }

  private static void told(MonotickEvent event, CountDownLatch reported) {
    if (event instanceof MonotickEvent.JobEnded || event instanceof MonotickEvent.JobEndRefused) {
      reported.countDown();
    }
  }

  /** As code does that does not care for interrupts. */
  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // The end is near anyway.
      }
    }
  }
}
