package dev.monotick.server.support;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what comes by itself. */
public final class Eventually {

  private static final Duration LONGEST = Duration.ofSeconds(30);

  private Eventually() {}

  /** Returns when it is true; fails if that takes half a minute. */
  public static void until(String what, BooleanSupplier condition) {
    until(() -> what, condition);
  }

  /** Returns when it is true; says what else is known if that takes half a minute. */
  public static void until(Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + LONGEST.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + LONGEST.toSeconds() + " s: " + what.get());
      }
      LockSupport.parkNanos(10_000_000);
    }
  }
}
