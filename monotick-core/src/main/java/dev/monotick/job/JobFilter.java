package dev.monotick.job;

import java.util.Optional;

/**
 * Which jobs; empty parts match all.
 *
 * @param state their state
 * @param queue their queue
 * @param kind their kind
 * @param tenant their tenant
 * @param before only those with a lesser id, to read on where the last page ended
 */
public record JobFilter(
    Optional<JobState> state,
    Optional<String> queue,
    Optional<String> kind,
    Optional<String> tenant,
    Optional<JobId> before) {

  /** Jobs in that state. */
  public static JobFilter in(JobState state) {
    return new JobFilter(
        Optional.of(state), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }
}
