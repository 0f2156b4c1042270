package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobState;
import dev.monotick.testkit.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs while replicas of two versions of a kind run side by side. */
class JobVersionTest {

  private static final JobKind<String> OLD = JobKind.named("mail", String.class).maxAttempts(2);
  private static final JobKind<String> NEW = OLD.version(2);

  private final SimulatedCluster cluster = SimulatedCluster.builder().replicas(2).start();
  private final List<String> done = new ArrayList<>();
  private final JobHandler<String> handler =
      job -> {
        done.add(job.replica() + ": v" + job.version() + ", attempt " + job.attempt());
        return JobOutcome.done();
      };

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void jobOfANewerVersionIsPutOffUntilAReplicaThatKnowsItTakesIt() {
    cluster.replica(0).handle(OLD, handler);
    JobId id = cluster.jobs().enqueue(NEW.of("a")).id();
    cluster.advance(Duration.ofMillis(400));
    assertThat(outcomes(id)).containsExactly(Outcome.SNOOZED);
    cluster.advance(Duration.ofMinutes(5));
    assertThat(done).isEmpty();
    assertThat(outcomes(id)).hasSizeBetween(20, 25).containsOnly(Outcome.SNOOZED);
    cluster.stop(0);
    cluster.replica(1).handle(NEW, handler);
    cluster.advance(Duration.ofSeconds(17));
    assertThat(done).containsExactly("replica-1: v2, attempt 1");
    assertThat(find(id).state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void replicasThatKnowTheVersionGetItsJobsSoon() {
    cluster.replica(0).handle(OLD, handler);
    cluster.replica(1).handle(NEW, handler);
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ids.add(cluster.jobs().enqueue(NEW.of("job " + i)).id());
    }
    cluster.advance(Duration.ofSeconds(20));
    assertThat(ids).allMatch(id -> find(id).state() == JobState.SUCCEEDED);
    assertThat(done).hasSize(20).containsOnly("replica-1: v2, attempt 1");
  }

  @Test
  void jobOfAnOlderVersionIsGivenToWhoeverKnowsANewerOne() {
    cluster.replica(0).handle(NEW, handler);
    cluster.jobs().enqueue(OLD.of("a"));
    cluster.advance(Duration.ofSeconds(1));
    assertThat(done).containsExactly("replica-0: v1, attempt 1");
  }

  private List<Outcome> outcomes(JobId id) {
    return find(id).attempts().stream().map(Job.Attempt::outcome).toList();
  }

  private Job find(JobId id) {
    return cluster.jobs().find(id).orElseThrow();
  }
}
