package dev.monotick.job;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a job at a moment.
 *
 * @param id its name
 * @param lane queue, kind, tenant and priority
 * @param version version of the kind that wrote the payload
 * @param state where it is in its life
 * @param payload what the handler gets, as the codec wrote it
 * @param rules how it is treated
 * @param createdAt when it was added
 * @param dueAt when it may run next, if it waits for its time
 * @param uniqueKey the key it has, or had
 * @param limitKey what it shares a limit with
 * @param parent the job that wanted it
 * @param headers trace context and the like
 * @param run what runs now; empty unless RUNNING
 * @param attempts what became of its claims, oldest first
 * @param result what the handler returned
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are carried, never compared
public record Job(
    JobId id,
    JobLane lane,
    int version,
    JobState state,
    byte[] payload,
    JobRules rules,
    Instant createdAt,
    Optional<Instant> dueAt,
    Optional<String> uniqueKey,
    Optional<String> limitKey,
    Optional<JobId> parent,
    Map<String, String> headers,
    Optional<Running> run,
    List<JobAttempt> attempts,
    Optional<byte[]> result) {

  /**
   * A claim that has not ended.
   *
   * @param number which claim, from 1
   * @param replica name of the replica
   * @param claimedAt when it was claimed
   * @param startedAt when its handler began, once it ran for a second
   * @param progress from 0 to 1, if it says so
   * @param doing a line for people, if it says so
   */
  public record Running(
      int number,
      String replica,
      Instant claimedAt,
      Optional<Instant> startedAt,
      Optional<Double> progress,
      Optional<String> doing) {}
}
