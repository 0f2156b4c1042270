package dev.monotick.spi.tick;

/**
 * What the ledger does with a tick whose task has a run that has not ended. All but {@link #ALLOW}
 * keep scheduled ticks in order: none is claimed while an older one waits to be taken.
 */
public enum OverlapRule {
  /** Record it as skipped. */
  SKIP,
  /** Let it wait if nothing waits yet, else record it as skipped. */
  QUEUE_ONE,
  /**
   * Ask the run to cancel and let this tick wait, instead of any that waits already: that is
   * skipped, unless it was claimed before and so may have begun.
   */
  REPLACE,
  /** Claim it all the same. */
  ALLOW,
  /** Do nothing; the caller asks again later. */
  WAIT
}
