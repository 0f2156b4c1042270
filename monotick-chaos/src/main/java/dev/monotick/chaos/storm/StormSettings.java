package dev.monotick.chaos.storm;

import java.time.Duration;

/**
 * What a storm is to be.
 *
 * @param jobs how many jobs
 * @param workers how many worker processes at a time
 * @param seed what faults and jobs follow from
 * @param packetLoss whether packets between workers and the server are dropped, too
 */
public record StormSettings(int jobs, int workers, long seed, boolean packetLoss) {

  /** Shorter, and there would be no time for faults. */
  private static final Duration SHORTEST = Duration.ofSeconds(20);

  /** What is refused is sent again after a while, for which a short storm has no time. */
  private static final int LEAST_WITH_REFUSALS = 20_000;

  private static final int MOST_PER_SECOND = 1_200;

  /** Returns whether the server refuses completions now and then. */
  boolean refusals() {
    return jobs >= LEAST_WITH_REFUSALS;
  }

  /** Returns how long jobs are added. */
  Duration lasting() {
    Duration needed = Duration.ofSeconds(jobs / MOST_PER_SECOND);
    return needed.compareTo(SHORTEST) < 0 ? SHORTEST : needed;
  }
}
