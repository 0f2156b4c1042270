package dev.monotick.spi.tick;

/**
 * The answer to a claim.
 *
 * @param kind what happened
 * @param state the task's state after it
 * @param attempt which attempt at the tick was claimed, from 1; 0 if none was
 */
public record TickClaimReply(Kind kind, SeriesState state, int attempt) {

  /** What happened to a claim. */
  public enum Kind {
    /** The tick is the caller's: nobody else will ever be told so of the same attempt. */
    CLAIMED,
    /** The tick is recorded as skipped, because a run had not ended. */
    SKIPPED,
    /** The tick waits for a run to end. */
    QUEUED,
    /** The waiting tick is recorded as missed, because it was passed over and never began. */
    MISSED,
    /** Nothing was done, because a run had not ended or an older tick waits. */
    BUSY,
    /** Nothing was done, because the task is paused. */
    PAUSED,
    /** Nothing was done, because the state is not the one the caller saw: decide again. */
    MOVED,
    /** Nothing was done, because the proof of leadership is not the newest. */
    FENCED
  }
}
