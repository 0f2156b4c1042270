package dev.monotick.work;

/** What a tick promises when its replica dies in the middle. */
public enum Effect {
  /** The body's SQL commits together with the tick's outcome: exactly once in that database. */
  TRANSACTIONAL,
  /** Claimed, then run: a crash leaves the outcome UNKNOWN, which is shown and never retried. */
  AT_MOST_ONCE,
  /** Run again once its replica is proven gone; the idempotency key stays the same. */
  AT_LEAST_ONCE
}
