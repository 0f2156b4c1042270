package dev.monotick.postgres.job;

import dev.monotick.job.JobLane;
import dev.monotick.job.store.JobLimit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lanes, and what holds for them, as of one version.
 *
 * @param version grows with every change
 * @param lanes by their numbers
 * @param ids numbers by lane
 * @param pausedQueues queues nobody takes jobs from
 * @param pausedKinds kinds nobody takes jobs of
 * @param weights shares of tenants; 1 for those that are not here
 * @param limits by their numbers, in that order
 */
record LaneTable(
    long version,
    Map<Integer, JobLane> lanes,
    Map<JobLane, Integer> ids,
    Set<String> pausedQueues,
    Set<String> pausedKinds,
    Map<String, Integer> weights,
    List<Limit> limits) {

  /**
   * A limit; see {@link dev.monotick.job.store.JobLimit}.
   *
   * @param id its number
   * @param running how many at a time, null for any number
   * @param rateCount how many per period, null for any number
   */
  record Limit(
      int id,
      String kind,
      String tenant,
      boolean perKey,
      @Nullable Integer running,
      @Nullable Integer rateCount,
      long rateMillis) {

    /** Whom the limit counts a lane for: each tenant apart, or all together. */
    String countedFor(JobLane lane) {
      return tenant.equals(JobLimit.Scope.EACH) ? lane.tenant() : "";
    }

    boolean bounds(JobLane lane) {
      return (kind.isEmpty() || kind.equals(lane.kind()))
          && (tenant.isEmpty()
              || tenant.equals(JobLimit.Scope.EACH)
              || tenant.equals(lane.tenant()));
    }
  }

  JobLane lane(int id) {
    JobLane lane = lanes.get(id);
    if (lane == null) {
      throw new IllegalStateException("there is no lane " + id + " in version " + version);
    }
    return lane;
  }

  int weight(String tenant) {
    return weights.getOrDefault(tenant, 1);
  }

  boolean isPaused(JobLane lane) {
    return pausedQueues.contains(lane.queue()) || pausedKinds.contains(lane.kind());
  }
}
