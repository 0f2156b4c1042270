package dev.monotick.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

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
public record JobAttempt(
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
