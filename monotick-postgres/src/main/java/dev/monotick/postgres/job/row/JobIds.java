package dev.monotick.postgres.job.row;

/** How jobs are numbered: milliseconds since 2025, and 22 bits that tell apart those of one. */
public final class JobIds {

  private static final long BEGIN_MILLIS = 1_735_689_600_000L;
  private static final int BITS = 22;

  private JobIds() {}

  /** Returns the least number that a job made at that time can have. */
  public static long atMicros(long micros) {
    return Math.max(0, Math.floorDiv(micros, 1_000) - BEGIN_MILLIS) << BITS;
  }

  /** Returns the time of a job with that number in microseconds, to the millisecond; 0 for 0. */
  public static long micros(long id) {
    return id == 0 ? 0 : ((id >> BITS) + BEGIN_MILLIS) * 1_000;
  }

  /** Returns how far numbers grow in so many milliseconds. */
  public static long span(long millis) {
    return millis << BITS;
  }
}
