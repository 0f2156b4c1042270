package dev.monotick.work;

/** What happens to a tick that is due while a run of its task has not ended, on any replica. */
public enum Overlap {
  /** It is recorded as skipped. */
  SKIP,
  /** It runs when the other ended; a further one is skipped. */
  QUEUE_ONE,
  /** It runs beside the other. */
  ALLOW,
  /** The other is cancelled, and it runs when that ended. */
  CANCEL_PREVIOUS
}
