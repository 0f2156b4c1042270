package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts jobs one by one, from what {@code find} shows, and checks that each holds together. */
public final class JobCounter {

  /** Creates a counter that has counted nothing. */
  public JobCounter() {}

  private final Map<Lane, long[]> sums = new HashMap<>();

  public void add(Job job) {
    requireSound(job);
    addListed(job);
    addEnds(job);
  }

  /** Counts a job by its state alone: ends are not listed. */
  void addListed(Job job) {
    long[] sum = sum(job);
    switch (job.state()) {
      case SCHEDULED, RETRYING, AWAITING_APPROVAL -> sum[0]++;
      case READY -> sum[1]++;
      case RUNNING -> sum[2]++;
      case DEAD -> sum[5]++;
      default -> {} // over: counted by how it ended
    }
  }

  /** Counts what a job was before it was purged. */
  public void addForgotten(Job job) {
    addEnds(job);
  }

  public void compareWith(List<JobCount> counts) {
    List<JobCount> expected = new ArrayList<>();
    sums.forEach(
        (lane, sum) ->
            expected.add(
                new JobCount(lane, sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6])));
    List<JobCount> counted =
        counts.stream()
            .filter(count -> !count.equals(new JobCount(count.lane(), 0, 0, 0, 0, 0, 0, 0)))
            .toList();
    assertThat(counted).as("counts").containsExactlyInAnyOrderElementsOf(expected);
  }

  private void addEnds(Job job) {
    long[] sum = sum(job);
    for (Job.Attempt attempt : job.attempts()) {
      switch (attempt.outcome()) {
        case SUCCEEDED -> sum[3]++;
        case RETRIED, DIED -> sum[4]++;
        case DISCARDED, CANCELLED, REJECTED, EXPIRED, LOST -> sum[6]++;
        default -> {} // moved it, and no more
      }
    }
  }

  private long[] sum(Job job) {
    return sums.computeIfAbsent(job.lane(), lane -> new long[7]);
  }

  private static void requireSound(Job job) {
    assertThat(job.run().isPresent())
        .as("job %s is RUNNING if it has a run", job)
        .isEqualTo(job.state() == JobState.RUNNING);
    int last = 0;
    for (Job.Attempt attempt : job.attempts()) {
      assertThat(attempt.run()).as("runs of job %s grow", job).isGreaterThan(last);
      last = attempt.run();
    }
    int ended = last;
    job.run().ifPresent(run -> assertThat(run.number()).isGreaterThan(ended));
  }
}
