package dev.monotick.job;

import dev.monotick.spi.job.JobTransition;

/** Where a job is in its life. What leads from one to another: {@link JobTransition}. */
public enum JobState {
  /** Waits for its time, or for jobs that come before it. */
  SCHEDULED,
  /** Waits for somebody's decision. */
  AWAITING_APPROVAL,
  /** Waits for a replica. */
  READY,
  /** A replica has it. */
  RUNNING,
  /** Failed, and waits for the time of its next attempt. */
  RETRYING,
  /** Done. */
  SUCCEEDED,
  /** Failed for good; a dead letter, kept until somebody requeues or purges it. */
  DEAD,
  /** Called off, by somebody or by its own handler. */
  CANCELLED,
  /** Not approved. */
  REJECTED,
  /** Its deadline passed, or not approved in time. */
  EXPIRED,
  /** Its replica died, and the job may not run twice: nobody can say what it did. */
  UNKNOWN;

  /** Says whether the job has ended; only somebody who requeues it makes it move again. */
  public boolean isTerminal() {
    return compareTo(SUCCEEDED) >= 0;
  }
}
