package dev.monotick.job;

import java.time.Duration;
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
    Lane lane,
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
    List<Attempt> attempts,
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

  /**
   * A line of a job's log.
   *
   * @param at when it was written, by the store's clock
   * @param text the line
   */
  public record LogLine(Instant at, String text) {}

  /**
   * What became of one claim of a job, or of the job where nobody had it.
   *
   * @param run which claim, from 1
   * @param attempt which attempt it was, or would have been, from 1
   * @param outcome how it ended
   * @param replica name of the replica that had it; empty if none had
   * @param startedAt when its handler began; empty if it did not
   * @param endedAt when the end was recorded
   * @param took how long the handler ran
   * @param detail error or reason
   */
  public record Attempt(
      int run,
      int attempt,
      Outcome outcome,
      Optional<String> replica,
      Optional<Instant> startedAt,
      Instant endedAt,
      Duration took,
      Optional<String> detail) {

    /** How a claim ended; the names are stored. */
    public enum Outcome {
      /** The handler succeeded. */
      SUCCEEDED,
      /** The handler failed, and the job is tried again. */
      RETRIED,
      /** The handler wanted to be asked later. */
      SNOOZED,
      /** The job failed for good. */
      DIED,
      /** The handler found nothing to do. */
      DISCARDED,
      /** The replica gave it back unstarted. */
      HANDED_BACK,
      /** The replica was gone, and the job ran again. */
      RESCUED,
      /** The replica was gone, for the last time. */
      CRASHED,
      /** The replica was gone, and the job may not run twice. */
      LOST,
      /** Somebody called it off. */
      CANCELLED,
      /** Somebody did not approve it. */
      REJECTED,
      /** Nobody decided, or its deadline passed. */
      EXPIRED,
      /** Somebody wanted it again; the claims before it do not count any more. */
      REQUEUED
    }
  }
}
