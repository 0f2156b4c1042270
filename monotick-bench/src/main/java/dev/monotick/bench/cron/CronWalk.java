package dev.monotick.bench.cron;

import java.time.Instant;

/**
 * Walks from one time of an expression to the next, in whatever type the library at hand likes
 * best: converting would be measured with it.
 */
interface CronWalk {

  /** Starts again, strictly after {@code time}. */
  void reset(Instant time);

  /** Goes to the next time. */
  void step();

  /** Returns the time reached. */
  Instant time();
}
