package dev.monotick.job.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a job may run.
 *
 * @param delay how long after the store took it; zero for at once
 * @param at not before that moment, by the store's clock; the later of both counts
 */
public record JobStart(Duration delay, Optional<Instant> at) {

  private static final Duration LONGEST = Duration.ofDays(3_660);

  /** At once. */
  public static final JobStart NOW = new JobStart(Duration.ZERO, Optional.empty());

  /** Refuses delays that cannot be. */
  public JobStart {
    if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "delay must be between PT0S and " + LONGEST + ", but was " + delay);
    }
  }
}
