package dev.monotick.task;

import dev.monotick.tick.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A task as one replica sees it at a moment.
 *
 * @param task the task, with its mode and policies
 * @param failures how many runs in a row failed, as this replica last heard from the ledger
 * @param next nominal time of the next tick, null if none is planned
 * @param running how many of its bodies run on this replica
 * @param backoffUntil until when it is left alone after failures, null if it is not
 * @param paused why it is paused, null if it is not
 * @param counts what this replica has seen of it since it started
 * @param differences in what live replicas have registered the task differently
 * @param supersededBy name of the replica whose registration counts instead of this one's, because
 *     it started later; this replica runs no scheduled tick meanwhile. Null if this one's counts,
 *     also because this replica leads the group in which the newer one registered it
 */
public record TaskStatus(
    Task task,
    int failures,
    @Nullable Instant next,
    int running,
    @Nullable Instant backoffUntil,
    @Nullable String paused,
    Counts counts,
    List<Difference> differences,
    @Nullable String supersededBy) {

  /** Copies the differences. */
  public TaskStatus {
    differences = List.copyOf(differences);
  }

  /** Returns the name of the task. */
  public String name() {
    return task.name();
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

  /**
   * A property of the task that another live replica has registered differently.
   *
   * @param replica name of the other replica
   * @param property name of the property, such as {@code schedule}
   * @param here its value on this replica
   * @param there its value on the other
   */
  public record Difference(String replica, String property, String here, String there) {}
}
