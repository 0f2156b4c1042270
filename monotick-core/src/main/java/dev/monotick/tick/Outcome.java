package dev.monotick.tick;

/** How a tick ended. Every tick has exactly one. */
public enum Outcome {
  /** The body returned. */
  SUCCEEDED,
  /** The body threw. */
  FAILED,
  /** The body took longer than its timeout. */
  TIMED_OUT,
  /** The body was asked to stop (leadership lost, shutdown, a newer tick) and did. No failure. */
  CANCELLED,
  /** The replica that had claimed the tick is gone; nobody can say how far it came. */
  UNKNOWN,
  /** Not started, on purpose; see {@link SkipReason}. */
  SKIPPED,
  /** Not started, because no replica was there in time. */
  MISSED
}
