package dev.monotick.chaos.fault;

import static dev.monotick.chaos.fault.StrandedReplica.LETTER;
import static dev.monotick.chaos.fault.StrandedReplica.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.job.JobId;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A job is handed to a replica whose packets are lost. Others take the replica for dead and do the
 * job; the replica joins again, and then hears of the job. {@code scripts/jobs-storm} does it with
 * real packets.
 */
@Tag("thorough")
@Timeout(120)
class StaleNotificationTest {

  @Test
  void aNoticeOfAnEarlierMembershipBeginsNothing() {
    try (StrandedReplica cluster = new StrandedReplica()) {
      cluster.startStranded(job -> JobOutcome.done());
      cluster.run("first"); // a lane is known to replicas only when it has had a job
      cluster.await("open turn", () -> cluster.count("job_offer") == 1);

      long claims = cluster.count("job_claim"); // the newest is kept when its jobs have ended
      cluster.cut();
      JobId handed = cluster.jobs.enqueue(LETTER.of("handed")).id();
      assertThat(cluster.count("job_claim"))
          .as("handed to the replica that cannot hear of it")
          .isEqualTo(claims + 1);
      Monotick other = cluster.startOther(job -> JobOutcome.done());
      cluster.await("end of the job", () -> cluster.is(handed, JobState.SUCCEEDED));
      assertThat(cluster.begun).containsExactly("stranded first 1", "other handed 2");
      other.stop(PATIENCE);
      cluster.await("end of its turn", () -> cluster.count("job_offer") == 0);

      cluster.heal();
      cluster.await(
          "open turn of the replica that came back", () -> cluster.count("job_offer") == 1);
      cluster.deliver();
      // The replica does one job at a time, in the order in which it hears of them.
      JobId last = cluster.jobs.enqueue(LETTER.of("last")).id();
      cluster.await(
          "end of the last job",
          () ->
              cluster.begun.contains("stranded handed 1") || cluster.is(last, JobState.SUCCEEDED));
      assertThat(cluster.begun)
          .containsExactly("stranded first 1", "other handed 2", "stranded last 1");
    }
  }
}
