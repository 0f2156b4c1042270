package dev.monotick.work;

import java.time.Duration;

/**
 * How long a failing task is left alone: doubles with every failure in a row up to a cap, plus up
 * to a tenth of jitter. Ticks in that time are recorded as skipped. One success ends it.
 *
 * @param initial the wait after the first failure
 * @param cap the longest wait, before jitter
 */
public record Backoff(Duration initial, Duration cap) {

  private static final Duration LONGEST = Duration.ofDays(7);
  private static final Backoff DEFAULTS =
      new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(900));

  /** Refuses durations that are not positive, too long, or in the wrong order. */
  public Backoff {
    if (initial.isNegative() || initial.isZero()) {
      throw new IllegalArgumentException(
          "backoff initial must be longer than PT0S, but was "
              + initial
              + "; use Backoff.none() for no wait");
    }
    if (cap.compareTo(initial) < 0 || cap.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "backoff cap must be between initial "
              + initial
              + " and "
              + LONGEST
              + ", but was "
              + cap
              + "; change one of them");
    }
  }

  /** From one second to 15 minutes; the default. */
  public static Backoff ofDefaults() {
    return DEFAULTS;
  }

  /** The next tick is tried whatever happened to the last. */
  public static Backoff none() {
    return new Backoff(Duration.ofNanos(1), Duration.ofNanos(1));
  }

  /**
   * Returns how long to wait after {@code failures} failures in a row.
   *
   * @param failures how many, at least one
   * @param hash decides the jitter; the same value gives the same wait
   */
  public Duration delay(int failures, long hash) {
    int doublings = Math.min(Math.max(failures - 1, 0), 40);
    Duration delay = cap;
    if (initial.compareTo(cap.dividedBy(1L << doublings)) <= 0) {
      delay = initial.multipliedBy(1L << doublings);
    }
    return delay.plus(delay.dividedBy(1000).multipliedBy(Math.floorMod(hash, 101L)));
  }
}
