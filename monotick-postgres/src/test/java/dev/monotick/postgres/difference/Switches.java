package dev.monotick.postgres.difference;

/** Steps that are left out because the stores are known to differ; each is to be removed. */
final class Switches {

  /**
   * A replica that is gone joins again under the same id. In SQL the numbers of its turns are free
   * again, because rescue deletes the claims that they were used for; in memory they stay used.
   */
  static final boolean REJOIN_SAME_ID = Boolean.getBoolean("monotick.rejoinSameId");

  /**
   * A turn arrives again after its claim is over or was rescued. In SQL it claims other jobs, which
   * the next rescue gives back; in memory its number stays used.
   */
  static final boolean LATE_TURNS = Boolean.getBoolean("monotick.lateTurns");

  /**
   * A replica reports a run of a job that was purged, or that the database has dropped. In SQL the
   * report counts if the process of the replica still has the run, because nothing tells that it
   * ended; so the job is revived. In memory the job is not there, and nothing counts.
   */
  static final boolean REPORT_OF_FORGOTTEN = Boolean.getBoolean("monotick.reportOfForgotten");

  /**
   * A turn hands back a job whose deadline has passed, and asks for jobs. In SQL the job takes one
   * of the places that the turn asks for, and expires; in memory it expires first. The database
   * then answers that there is no more, though there may be.
   */
  static final boolean OVERDUE_IN_TURN = Boolean.getBoolean("monotick.overdueInTurn");

  /**
   * Calls come in the same microsecond. Then job_rescue takes an end that a replica reported for
   * one that it recorded itself, and counts it twice.
   */
  static final boolean SAME_INSTANT = Boolean.getBoolean("monotick.sameInstant");

  private Switches() {}
}
