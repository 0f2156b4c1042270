package dev.monotick.engine.send;

import java.time.Duration;

/**
 * The delay before a request is sent to a store again: doubles from a tenth of a second up to a
 * limit. The delay after a failed call is shortened by up to a quarter of jitter, so that replicas
 * do not return in step.
 */
public final class ResendDelay {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final int seed;
  private int failures;

  /** Creates a delay whose jitter differs from that of other seeds. */
  public ResendDelay(int seed) {
    this.seed = seed;
  }

  /** Returns whether the last call failed. */
  public boolean isFailing() {
    return failures > 0;
  }

  /** Returns how many calls failed in a row. */
  public int failures() {
    return failures;
  }

  /** Forgets the failures. */
  public void succeeded() {
    failures = 0;
  }

  /** Counts a failure and returns the delay after it. */
  public Duration failed() {
    failures++;
    long millis = after(failures, LONGEST).toMillis();
    long spread = Math.floorMod(31L * seed + 17L * failures, 25L);
    return Duration.ofMillis(millis - millis * spread / 100);
  }

  /** Returns the delay after that many failures in a row, at least one, without jitter. */
  static Duration after(int failures, Duration longest) {
    long millis = FIRST.toMillis() << Math.min(failures - 1, 20);
    return Duration.ofMillis(Math.min(longest.toMillis(), millis));
  }
}
