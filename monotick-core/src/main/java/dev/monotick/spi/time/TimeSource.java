package dev.monotick.spi.time;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The two clocks of a process: {@code clock} tells the date and may jump, {@code ticker} only
 * measures how much time passed. What is stored comes from the first, deadlines from the second.
 */
public record TimeSource(InstantSource clock, Ticker ticker) {

  /** Returns the clocks of this process. */
  public static TimeSource system() {
    return new TimeSource(Clock.systemUTC(), Ticker.system());
  }

  /** Returns the current date by this process's wall clock. */
  public Instant now() {
    return clock.instant();
  }

  /** Returns the current reading of the ticker. */
  public long nanos() {
    return ticker.read();
  }
}
