package dev.monotick.chaos.storm;

import java.time.Duration;
import java.util.List;

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

  /** A shorter storm has no time for more than one kind of refusal, and may lack rare events. */
  private static final int LONG = 20_000;

  private static final int MOST_PER_SECOND = 1_200;

  /** Returns whether it is long enough for everything that a storm is for to happen. */
  boolean isLong() {
    return jobs >= LONG;
  }

  /** Returns the errors by which the server refuses completions, each of them at least once. */
  List<String> refusals() {
    return isLong() ? StormRefusals.STATES : StormRefusals.STATES.subList(0, 1);
  }

  /** Returns how long jobs are added. */
  Duration lasting() {
    Duration needed = Duration.ofSeconds(jobs / MOST_PER_SECOND);
    return needed.compareTo(SHORTEST) < 0 ? SHORTEST : needed;
  }
}
