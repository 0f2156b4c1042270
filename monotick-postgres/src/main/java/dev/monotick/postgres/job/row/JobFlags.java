package dev.monotick.postgres.job.row;

/**
 * What else must be seen to when a job is claimed or ends, as bits of a column. A job without any,
 * as most are, is nothing but its rows.
 */
public final class JobFlags {

  /** Has a unique key, which its end releases. */
  public static final int UNIQUE = 1;

  /** Another job waits for its end. */
  public static final int NEXT = 2;

  /** Its run holds something of a limit; only in claims. */
  public static final int LIMITED = 4;

  /** Has a key of its own for limits. */
  public static final int KEYED = 8;

  /** May expire: by its deadline, or because nobody approves it. */
  public static final int EXPIRES = 16;

  /** May not run twice: nobody knows what it did if its replica is gone. */
  public static final int AT_MOST_ONCE = 32;

  /** Needs approval before it first runs. */
  public static final int GATED = 64;

  /** The lower of two bits that count how often it was lost with its replica; see job_rescue. */
  private static final int CRASHED = 128;

  /** Returns how often a job with these flags was lost with its replica. */
  public static int crashes(int flags) {
    return (flags / CRASHED) & 3;
  }

  private JobFlags() {}
}
