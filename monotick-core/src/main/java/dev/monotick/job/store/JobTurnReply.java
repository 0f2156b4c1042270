package dev.monotick.job.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a turn gave.
 *
 * @param finished for each finish of the turn, in its order, whether it counts; false if the run
 *     was no longer the replica's: rescued, cancelled or expired meanwhile
 * @param jobs what the replica has now, in the order to run it
 * @param more whether more jobs may be waiting right now
 * @param nextDue how long until a job becomes due that waits for its time, as far as is known
 * @param used whether jobs were claimed under the turn's number; also if none of them is left,
 *     because others ended them before the replica heard of them
 */
public record JobTurnReply(
    List<Boolean> finished,
    List<ClaimedJob> jobs,
    boolean more,
    Optional<Duration> nextDue,
    boolean used) {

  /** Creates the reply to a turn that claimed these jobs and no others. */
  public JobTurnReply(
      List<Boolean> finished, List<ClaimedJob> jobs, boolean more, Optional<Duration> nextDue) {
    this(finished, jobs, more, nextDue, !jobs.isEmpty());
  }
}
