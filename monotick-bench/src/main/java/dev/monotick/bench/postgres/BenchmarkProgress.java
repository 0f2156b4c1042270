package dev.monotick.bench.postgres;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Tells whoever waits how far things are, on standard error so that results stay clean. */
public final class BenchmarkProgress {

  private static final long START = System.nanoTime();
  private static final Duration STEP = Duration.ofSeconds(5);

  private BenchmarkProgress() {}

  /** Says something, with the seconds since the start. */
  public static void report(String message) {
    System.err.printf(
        Locale.ROOT, "[%4d s] %s%n", (System.nanoTime() - START) / 1_000_000_000, message);
  }

  /** Waits until that time and says every few seconds what {@code state} tells. */
  public static void waitUntil(Instant end, Supplier<String> state) throws InterruptedException {
    waitUntil(end, () -> false, state);
  }

  /** Waits until that time, or until it is done. */
  static void waitUntil(Instant end, BooleanSupplier done, Supplier<String> state)
      throws InterruptedException {
    Clock clock = Clock.systemUTC();
    Instant told = clock.instant();
    while (!done.getAsBoolean()) {
      Instant now = clock.instant();
      if (!now.isBefore(end)) {
        return;
      }
      if (!now.isBefore(told.plus(STEP))) {
        told = now;
        report("  " + state.get() + ", " + Duration.between(now, end).toSeconds() + " s to go");
      }
      pause(Duration.ofMillis(Math.min(200, Math.max(1, Duration.between(now, end).toMillis()))));
    }
  }

  /** Waits. */
  public static void pause(Duration time) throws InterruptedException {
    boolean never = new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
    if (never) {
      throw new IllegalStateException("a latch that nobody counts down was opened");
    }
  }
}
