package dev.monotick.testkit;

import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * The two clocks of a process, moved by the test. Begins at {@link #START}. Thread-safe: each
 * reading is whole, and both clocks move in one step.
 */
public final class FakeTime {

  /** Where the wall clock begins. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  // Both are guarded by this. The ticker begins just below the overflow of a long, so that a
  // deadline that is compared by < instead of by difference fails in the first test.
  private volatile Instant wall = START;
  private volatile long nanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();
  private final TimeSource timeSource = new TimeSource(this::now, this::nanos);

  /** Creates a time that stands still at {@link #START}. */
  public FakeTime() {}

  /** {@return the two clocks, as the code under test wants them} */
  public TimeSource timeSource() {
    return timeSource;
  }

  /** {@return the date by the wall clock} */
  public Instant now() {
    return wall;
  }

  /** {@return the reading of the ticker} */
  public long nanos() {
    return nanos;
  }

  /**
   * Lets time pass, on both clocks.
   *
   * @param amount how much, not negative
   */
  public synchronized void advance(Duration amount) {
    requireForwards("advance", amount);
    wall = wall.plus(amount);
    nanos += amount.toNanos();
  }

  synchronized void advanceNanos(long amount) {
    wall = wall.plusNanos(amount);
    nanos += amount;
  }

  /**
   * Sets the wall clock forwards or backwards; no time passes.
   *
   * @param amount by how much; negative for backwards
   */
  public synchronized void jumpWallClock(Duration amount) {
    wall = wall.plus(amount);
  }

  /**
   * Lets the machine sleep: the wall clock goes on, the ticker stands still.
   *
   * @param amount how long, not negative
   */
  public synchronized void suspend(Duration amount) {
    requireForwards("suspend", amount);
    wall = wall.plus(amount);
  }

  private static void requireForwards(String what, Duration amount) {
    if (amount.isNegative()) {
      throw new IllegalArgumentException(
          what
              + " must not go backwards, but was "
              + amount
              + "; use jumpWallClock to set the wall clock back");
    }
  }
}
