package dev.monotick.spi.job;

import static dev.monotick.job.JobState.AWAITING_APPROVAL;
import static dev.monotick.job.JobState.DEAD;
import static dev.monotick.job.JobState.EXPIRED;
import static dev.monotick.job.JobState.READY;
import static dev.monotick.job.JobState.REJECTED;
import static dev.monotick.job.JobState.RETRYING;
import static dev.monotick.job.JobState.RUNNING;
import static dev.monotick.job.JobState.SCHEDULED;
import static dev.monotick.job.JobState.SUCCEEDED;

import dev.monotick.job.JobState;
import java.util.EnumSet;
import java.util.Set;

/**
 * Everything that can happen to a job: the one table of its life. A store makes no other steps, and
 * makes each only from one of the states named here.
 */
@SuppressWarnings("ImmutableEnumChecker") // the sets are copies that cannot be changed
public enum JobTransition {
  /** Its time came, or the jobs before it ended. */
  BECOME_DUE(Set.of(SCHEDULED, RETRYING), Set.of(READY)),
  /** Somebody approved it. */
  APPROVE(Set.of(AWAITING_APPROVAL), Set.of(READY, SCHEDULED)),
  /** Somebody did not. */
  REJECT(Set.of(AWAITING_APPROVAL), Set.of(REJECTED)),
  /** Nobody decided in time, or its deadline passed before it ran. */
  EXPIRE(Set.of(AWAITING_APPROVAL, SCHEDULED, READY, RETRYING), Set.of(EXPIRED)),
  /** A replica took it. */
  CLAIM(Set.of(READY), Set.of(RUNNING)),
  /** The replica gave it back unstarted. */
  HAND_BACK(Set.of(RUNNING), Set.of(READY)),
  /** The replica is gone; the job runs again elsewhere. */
  RESCUE(Set.of(RUNNING), Set.of(READY)),
  /** It took its replicas with it too often. */
  CRASH_TOO_OFTEN(Set.of(RUNNING), Set.of(DEAD)),
  /** The replica is gone, and the job may not run twice. */
  LOSE(Set.of(RUNNING), Set.of(JobState.UNKNOWN)),
  /** Its handler succeeded. */
  SUCCEED(Set.of(RUNNING), Set.of(SUCCEEDED)),
  /** Its handler failed, and may try again. */
  RETRY(Set.of(RUNNING), Set.of(RETRYING)),
  /** Its handler wants to be asked later; costs no attempt. */
  SNOOZE(Set.of(RUNNING), Set.of(SCHEDULED)),
  /** Its handler failed, and may not try again. */
  DIE(Set.of(RUNNING), Set.of(DEAD)),
  /** Its handler found that there is nothing to do any more. */
  DISCARD(Set.of(RUNNING), Set.of(JobState.CANCELLED)),
  /** Somebody called it off, or a job before it did not succeed. */
  CANCEL(
      Set.of(SCHEDULED, AWAITING_APPROVAL, READY, RUNNING, RETRYING), Set.of(JobState.CANCELLED)),
  /** Somebody set another time. */
  RESCHEDULE(Set.of(SCHEDULED, RETRYING), Set.of(SCHEDULED, RETRYING)),
  /** Somebody wants it again; one that needs approval needs it again. */
  REQUEUE(
      Set.of(DEAD, JobState.CANCELLED, REJECTED, EXPIRED, JobState.UNKNOWN),
      Set.of(READY, AWAITING_APPROVAL));

  private final Set<JobState> from;
  private final Set<JobState> to;

  JobTransition(Set<JobState> from, Set<JobState> to) {
    this.from = Set.copyOf(EnumSet.copyOf(from));
    this.to = Set.copyOf(EnumSet.copyOf(to));
  }

  /** Returns the states in which it can happen. */
  public Set<JobState> from() {
    return from;
  }

  /** Returns the states it can lead to. */
  public Set<JobState> to() {
    return to;
  }

  /** Says whether this leads from one state to the other. */
  public boolean leads(JobState before, JobState after) {
    return from.contains(before) && to.contains(after);
  }
}
