package dev.monotick.job;

import static java.util.Objects.requireNonNull;

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

  /** The moments of jobs lie between these: what every store can keep, and count nanoseconds to. */
  private static final Instant EARLIEST = Instant.EPOCH;

  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  /** At once. */
  public static final JobStart NOW = new JobStart(Duration.ZERO, Optional.empty());

  /** Refuses delays and moments that cannot be. */
  public JobStart {
    if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "delay must be between PT0S and " + LONGEST + ", but was " + delay);
    }
    at.ifPresent(moment -> requireMoment("at", moment));
  }

  /**
   * Returns a moment that jobs can have.
   *
   * @param field what it is, for people
   * @throws IllegalArgumentException if it is before 1970 or after 2199
   */
  public static Instant requireMoment(String field, Instant moment) {
    if (requireNonNull(moment, field).isBefore(EARLIEST) || moment.isAfter(LATEST)) {
      throw new IllegalArgumentException(
          field
              + " must be between "
              + EARLIEST
              + " and "
              + LATEST
              + ", but was "
              + moment
              + "; leave it out if none is meant, and see that milliseconds were not taken for"
              + " seconds");
    }
    return moment;
  }
}
