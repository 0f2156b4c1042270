package dev.monotick.chaos.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what nobody announces. */
public final class Waiting {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private Waiting() {}

  /** Looks again and again until a condition holds; throws if it does not in time. */
  public static void until(String what, Duration patience, BooleanSupplier condition) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("no " + what + " within " + patience);
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }

  /** Lets time pass: for a fault to last, or for peace to return. */
  public static void let(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
