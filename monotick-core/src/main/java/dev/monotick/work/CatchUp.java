package dev.monotick.work;

import java.time.Duration;

/**
 * What happens to ticks that were due while nobody was there: over restarts, failovers and outages.
 * Those that are not run are recorded as missed.
 *
 * @param maximum how many of the newest ones are run at most
 * @param window how late a tick may be to be run
 */
public record CatchUp(int maximum, Duration window) {

  /** A tick that is less late than this counts as on time. */
  public static final Duration ON_TIME = Duration.ofSeconds(10);

  private static final int MOST = 1000;
  private static final Duration FOREVER = Duration.ofDays(36_500);
  private static final CatchUp DEFAULTS = new CatchUp(1, Duration.ofHours(24));

  /**
   * Refuses fewer than one tick or more than 1000, and a window shorter than {@link #ON_TIME} or
   * longer than 100 years.
   */
  public CatchUp {
    if (maximum < 1 || maximum > MOST) {
      throw new IllegalArgumentException(
          "catchUp maximum must be from 1 to "
              + MOST
              + ", but was "
              + maximum
              + "; use CatchUp.none() to run nothing that is late, or a smaller number");
    }
    if (window.compareTo(ON_TIME) < 0 || window.compareTo(FOREVER) > 0) {
      throw new IllegalArgumentException(
          "catchUp window must be from "
              + ON_TIME
              + " to "
              + FOREVER
              + ", but was "
              + window
              + "; use CatchUp.none() to run nothing that is late, CatchUp.all(..) for no limit");
    }
  }

  /** Runs the newest tick if it is at most 24 hours late; the default. */
  public static CatchUp ofDefaults() {
    return DEFAULTS;
  }

  /** Runs nothing that is later than {@link #ON_TIME}. */
  public static CatchUp none() {
    return new CatchUp(1, ON_TIME);
  }

  /** Runs the newest tick, if it is not later than the window. */
  public static CatchUp latestWithin(Duration window) {
    return new CatchUp(1, window);
  }

  /** Runs the newest ticks, oldest first, one after the other. */
  public static CatchUp all(int maximum) {
    return new CatchUp(maximum, FOREVER);
  }
}
