package dev.monotick.spi.time;

/**
 * A monotonic clock for local deadlines: it only moves forwards and knows nothing of the date.
 *
 * <p>Two readings of the same ticker may be subtracted; their difference is nanoseconds elapsed.
 * Readings of different processes are not comparable.
 */
@FunctionalInterface
public interface Ticker {

  /** Returns the current reading in nanoseconds from an arbitrary origin. */
  long read();

  /** Returns the ticker of this process, {@link System#nanoTime()}. */
  static Ticker system() {
    return System::nanoTime;
  }
}
