package dev.monotick.event;

import dev.monotick.job.JobId;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that happened on this replica. New kinds may be added: let a switch have a default. */
public sealed interface MonotickEvent {

  /**
   * A body was started.
   *
   * @param tick its tick
   * @param attempt which attempt at it
   * @param lateness how long after it was due
   */
  record TickStarted(TickId tick, int attempt, Duration lateness) implements MonotickEvent {}

  /**
   * A tick that this replica had claimed, or settled for one that is gone, has its outcome.
   *
   * @param tick the tick
   * @param outcome how it ended
   * @param detail a line for people, null if there is nothing to say
   * @param duration how long the body ran, null if this replica did not run it
   */
  record TickEnded(
      TickId tick, Outcome outcome, @Nullable String detail, @Nullable Duration duration)
      implements MonotickEvent {}

  /** A tick was skipped. */
  record TickSkipped(TickId tick, SkipReason reason) implements MonotickEvent {}

  /** Ticks were accounted for that nobody ran. */
  record TicksNotRun(String task, TickRecord.Range range) implements MonotickEvent {}

  /** What this replica reported of a tick was refused: the claim is no longer its own. */
  record ReportRefused(TickId tick, Outcome outcome) implements MonotickEvent {}

  /** A body has ignored its cancellation, and the interrupt, for that long. */
  record BodyStuck(TickId tick, Duration ignoredFor) implements MonotickEvent {}

  /** A piece of work in a slot failed; the tick that began it has an outcome of its own. */
  record SlotWorkFailed(TickId tick, String failure) implements MonotickEvent {}

  /** A task is left alone until then, because it failed. */
  record TaskBackingOff(String task, int failures, Instant until) implements MonotickEvent {}

  /** A task is paused: by somebody, or by {@code monotick} for its failures. */
  record TaskPaused(String task, String by, String note) implements MonotickEvent {}

  /** A task was resumed here. */
  record TaskResumed(String task) implements MonotickEvent {}

  /** This replica leads a group. */
  record LeadershipGained(LeaderTerm term) implements MonotickEvent {}

  /** This replica no longer leads a group. */
  record LeadershipLost(LeaderTerm term, LossCause cause) implements MonotickEvent {}

  /**
   * A run of a job ended here.
   *
   * @param id the job
   * @param kind its kind
   * @param end the word for it: Succeeded, Retried, Snoozed, Died, Discarded, HandedBack or Lost
   * @param attempt which attempt it was, from 1
   * @param maxAttempts how many it may have
   * @param took how long its handler ran
   */
  record JobEnded(JobId id, String kind, String end, int attempt, int maxAttempts, Duration took)
      implements MonotickEvent {}

  /**
   * What this replica reported of a job was refused: the run was no longer its own.
   *
   * @param id the job
   * @param kind its kind
   * @param run which claim of it
   */
  record JobEndRefused(JobId id, String kind, int run) implements MonotickEvent {}
}
