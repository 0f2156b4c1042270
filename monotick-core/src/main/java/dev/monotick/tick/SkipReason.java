package dev.monotick.tick;

/** Why a tick was {@link Outcome#SKIPPED}. */
public enum SkipReason {
  /** The run before it had not ended. */
  OVERLAP,
  /** The task was paused. */
  PAUSED,
  /** The task had failed and was left alone for a while. */
  BACKOFF,
  /** A quota was used up. */
  QUOTA,
  /** A calendar excludes it. */
  EXCLUDED
}
