package dev.monotick.job;

import java.time.Instant;

/**
 * A queue or a kind that nobody takes jobs from.
 *
 * @param of what the name names
 * @param name the queue or kind
 * @param by who paused it
 * @param note why
 * @param since when
 */
public record JobPause(Of of, String name, String by, String note, Instant since) {

  /** What can be paused. */
  public enum Of {
    /** All jobs of a queue. */
    QUEUE,
    /** All jobs of a kind. */
    KIND
  }
}
