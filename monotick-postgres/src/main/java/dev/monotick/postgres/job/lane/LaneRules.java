package dev.monotick.postgres.job.lane;

import dev.monotick.job.JobLimit;
import dev.monotick.job.Lane;
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
public record LaneRules(
    long version,
    Map<Integer, Lane> lanes,
    Map<Lane, Integer> ids,
    Set<String> pausedQueues,
    Set<String> pausedKinds,
    Map<String, Integer> weights,
    List<Limit> limits) {

  /**
   * A limit; see {@link dev.monotick.job.JobLimit}.
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
    String countedFor(Lane lane) {
      return tenant.equals(JobLimit.Scope.EACH) ? lane.tenant() : "";
    }

    boolean bounds(Lane lane) {
      return (kind.isEmpty() || kind.equals(lane.kind()))
          && (tenant.isEmpty()
              || tenant.equals(JobLimit.Scope.EACH)
              || tenant.equals(lane.tenant()));
    }
  }

  Lane lane(int id) {
    Lane lane = lanes.get(id);
    if (lane == null) {
      throw new IllegalStateException("there is no lane " + id + " in version " + version);
    }
    return lane;
  }

  int weight(String tenant) {
    return weights.getOrDefault(tenant, 1);
  }

  boolean isPaused(Lane lane) {
    return pausedQueues.contains(lane.queue()) || pausedKinds.contains(lane.kind());
  }
}
