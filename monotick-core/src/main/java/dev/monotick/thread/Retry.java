package dev.monotick.thread;

import java.time.Duration;

/**
 * How long to wait before a store is asked again: doubles from a tenth of a second up to five
 * seconds, less up to a quarter of jitter, so that replicas do not come back in step.
 */
public final class Retry {

  private static final long FIRST_MILLIS = 100;
  private static final long CAP_MILLIS = 5_000;

  private final int seed;
  private int failures;

  /** Creates one whose jitter differs from that of other seeds. */
  public Retry(int seed) {
    this.seed = seed;
  }

  /** Says whether the last try failed. */
  public boolean isFailing() {
    return failures > 0;
  }

  /** Returns how many tries failed in a row. */
  public int failures() {
    return failures;
  }

  /** Forgets the failures. */
  public void succeeded() {
    failures = 0;
  }

  /** Counts a failure and returns the wait after it. */
  public Duration failed() {
    failures++;
    long millis = Math.min(CAP_MILLIS, FIRST_MILLIS << Math.min(failures - 1, 10));
    long spread = Math.floorMod(31L * seed + 17L * failures, 25L);
    return Duration.ofMillis(millis - millis * spread / 100);
  }
}
