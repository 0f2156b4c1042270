package dev.monotick.postgres.leader;

import java.time.Duration;

/** Waiting for a clock that belongs to a server. */
final class ServerTime {

  private ServerTime() {}

  /** Waits. */
  static void pass(Duration amount) {
    try {
      Thread.sleep(amount.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
