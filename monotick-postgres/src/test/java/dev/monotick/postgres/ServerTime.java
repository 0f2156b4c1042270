package dev.monotick.postgres;

import java.time.Duration;

/** Waiting for a clock that belongs to a server. */
public final class ServerTime {

  private ServerTime() {}

  /** Waits. */
  public static void pass(Duration amount) {
    try {
      Thread.sleep(amount.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
