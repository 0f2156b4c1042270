package dev.monotick.server.operate;

import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a replica tells of itself.
 *
 * @param id identity of this start of the process
 * @param name what people call it
 * @param state whether it takes work
 * @param at when it said so, by its own clock
 * @param terms what it leads
 * @param tasks its tasks
 * @param tzdb version of its time-zone data
 */
record ReplicaView(
    String id,
    String name,
    State state,
    Instant at,
    List<Term> terms,
    List<Seen> tasks,
    @Nullable String tzdb) {

  /** Whether a replica takes work. */
  enum State {
    /** It does. */
    RUNNING,
    /** It takes none any more, and ends what it has. */
    DRAINING,
    /** It has none any more, and takes none until it is started again. */
    DRAINED
  }

  /**
   * A leadership that it has.
   *
   * @param group what it leads
   * @param fence the number of the term
   * @param since when it began
   * @param validForMillis how long it may be relied on without a further renewal, when that was
   *     said
   */
  record Term(String group, String fence, Instant since, long validForMillis) {}

  /**
   * A task as the replica sees it.
   *
   * @param policy what it was declared as
   * @param next nominal time of the next tick
   * @param running bodies that run there
   * @param paused why it is paused
   * @param backoffUntil until when it is left alone after failures
   * @param lastOutcome how the last tick ended there
   * @param lastEndedAt when that was
   * @param counts what it has seen since it started
   * @param differences in what other replicas have registered the task differently; null if the
   *     replica is too old to tell
   * @param supersededBy name of the replica whose registration counts instead
   */
  record Seen(
      Policy policy,
      @Nullable Instant next,
      int running,
      @Nullable String paused,
      @Nullable Instant backoffUntil,
      @Nullable String lastOutcome,
      @Nullable Instant lastEndedAt,
      Counts counts,
      @Nullable List<TaskStatus.Difference> differences,
      @Nullable String supersededBy) {

    static Seen of(TaskStatus status) {
      TaskStatus.Counts counts = status.counts();
      return new Seen(
          Policy.of(status.task()),
          status.next(),
          status.running(),
          status.paused(),
          status.backoffUntil(),
          status.lastOutcome().map(Enum::name).orElse(null),
          counts.lastEndedAt(),
          new Counts(
              counts.started(),
              counts.succeeded(),
              counts.failed() + counts.timedOut(),
              counts.skipped(),
              counts.missed(),
              counts.duplicatesRefused(),
              counts.refusedByFence()),
          status.differences(),
          status.supersededBy());
    }
  }

  /**
   * What a task was declared as.
   *
   * @param name its name
   * @param schedule when it is due
   * @param mode who runs a tick
   * @param effect what happens when a replica dies in the middle
   * @param group the leadership it needs, if its mode is LEADER
   * @param overlap what happens if a tick is due while the one before it runs
   * @param catchUp which missed ticks are made up for
   * @param timeout how long a body may take
   */
  record Policy(
      String name,
      String schedule,
      String mode,
      String effect,
      String group,
      String overlap,
      String catchUp,
      Duration timeout) {

    static Policy of(Task spec) {
      return new Policy(
          spec.name(),
          spec.schedule().toString(),
          spec.mode().name(),
          spec.effect().name(),
          spec.group(),
          spec.overlap().name(),
          spec.catchUp().maximum() == 0
              ? "NONE"
              : "up to " + spec.catchUp().maximum() + " within " + spec.catchUp().window(),
          spec.timeout());
    }
  }

  /**
   * What a replica has seen of a task since it started.
   *
   * @param started bodies that were started
   * @param succeeded ticks that succeeded
   * @param failed ticks that failed or took too long
   * @param skipped ticks not run on purpose
   * @param missed ticks nobody was there for
   * @param duplicatesRefused claims refused because another replica had the tick
   * @param refusedByFence claims and reports refused because their term or claim was over
   */
  record Counts(
      long started,
      long succeeded,
      long failed,
      long skipped,
      long missed,
      long duplicatesRefused,
      long refusedByFence) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(
          started + other.started,
          succeeded + other.succeeded,
          failed + other.failed,
          skipped + other.skipped,
          missed + other.missed,
          duplicatesRefused + other.duplicatesRefused,
          refusedByFence + other.refusedByFence);
    }
  }
}
