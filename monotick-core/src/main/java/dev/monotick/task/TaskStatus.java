package dev.monotick.task;

import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.TaskState;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A task as one replica sees it at a moment.
 *
 * @param spec the task, with its mode and policies
 * @param state what this replica last heard from the ledger, null until it is registered there
 * @param next nominal time of the next tick, null if none is planned
 * @param running how many of its bodies run on this replica
 * @param backoffUntil until when it is left alone after failures, null if it is not
 * @param paused why it is paused, null if it is not
 * @param counts what this replica has seen of it since it started
 */
public record TaskStatus(
    TaskSpec spec,
    @Nullable TaskState state,
    @Nullable Instant next,
    int running,
    @Nullable Instant backoffUntil,
    @Nullable String paused,
    Counts counts) {

  /** Returns the name of the task. */
  public String name() {
    return spec.name();
  }

  /** Returns the outcome of the last tick that ended on this replica. */
  public Optional<Outcome> lastOutcome() {
    return Optional.ofNullable(counts.lastOutcome());
  }

  /**
   * What one replica has seen of a task since it started.
   *
   * @param started bodies that were started
   * @param succeeded ticks whose body returned
   * @param failed ticks whose body threw
   * @param timedOut ticks whose body took too long
   * @param cancelled ticks whose body was asked to stop and did
   * @param skipped ticks not run on purpose
   * @param missed ticks nobody was there for
   * @param leftToLeader ticks that were the leader's, and this replica was not
   * @param duplicatesRefused claims refused because another replica had the tick
   * @param refusedByFence claims and reports refused because they came from a term or claim that
   *     was over
   * @param lastOutcome outcome of the last tick that ended here, null if none did
   * @param lastEndedAt when that was
   */
  public record Counts(
      long started,
      long succeeded,
      long failed,
      long timedOut,
      long cancelled,
      long skipped,
      long missed,
      long leftToLeader,
      long duplicatesRefused,
      long refusedByFence,
      @Nullable Outcome lastOutcome,
      @Nullable Instant lastEndedAt) {}
}
