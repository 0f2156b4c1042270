package dev.monotick.spi.job;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The jobs of a claim.
 *
 * @param jobs the jobs claimed under the number that have not ended, in the order to run them
 * @param more whether more jobs may be waiting right now
 * @param nextDue how long until a job becomes due that waits for its time, as far as is known
 * @param used whether jobs were claimed under the number; also if none of them is left, because
 *     others ended them before the replica heard of them
 */
public record ClaimReply(
    List<ClaimedJob> jobs, boolean more, Optional<Duration> nextDue, boolean used) {

  /** No jobs, and the number is free. */
  public static final ClaimReply NONE = new ClaimReply(List.of(), false, Optional.empty(), false);
}
