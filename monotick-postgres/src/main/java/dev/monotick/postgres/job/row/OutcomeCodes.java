package dev.monotick.postgres.job.row;

/** How outcomes of runs are stored: by their place among {@code Job.Attempt.Outcome}. */
public final class OutcomeCodes {

  public static final short SUCCEEDED = 0;
  static final short RETRIED = 1;
  static final short SNOOZED = 2;
  static final short DIED = 3;
  static final short DISCARDED = 4;
  static final short HANDED_BACK = 5;
  static final short RESCUED = 6;
  static final short CRASHED = 7;
  static final short LOST = 8;
  static final short CANCELLED = 9;
  static final short REJECTED = 10;
  static final short EXPIRED = 11;
  static final short REQUEUED = 12;

  private OutcomeCodes() {}
}
