package dev.monotick.postgres.embedded;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for what other processes do. They give no signal that a JVM could wait for: the files and
 * locks they leave have to be looked at again and again.
 */
final class Polling {

  private static final long PAUSE_MILLIS = 10;

  private Polling() {}

  static void pause() {
    LockSupport.parkNanos(PAUSE_MILLIS * 1_000_000);
    if (Thread.currentThread().isInterrupted()) {
      throw new EmbeddedPostgresException("interrupted while waiting for PostgreSQL");
    }
  }

  /** Waits for a fact, but not much longer than given, and says whether it has come true. */
  static boolean await(int seconds, BooleanSupplier fact) {
    for (long pauses = seconds * 1000L / PAUSE_MILLIS; !fact.getAsBoolean(); pauses--) {
      if (pauses <= 0) {
        return false;
      }
      pause();
    }
    return true;
  }
}
