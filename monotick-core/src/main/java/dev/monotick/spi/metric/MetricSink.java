package dev.monotick.spi.metric;

import dev.monotick.leader.Fence;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Takes the engine's figures. Called on the engine's loop: must be quick and must not throw. All
 * methods do nothing by default.
 */
public interface MetricSink {

  /** Returns a sink that takes nothing. */
  static MetricSink none() {
    return new MetricSink() {};
  }

  /** A task was registered. */
  default void taskRegistered(String task) {}

  /** A body was started, that long after its tick was due. */
  default void tickStarted(String task, Duration lateness) {}

  /** A tick of this replica has its outcome. */
  default void tickEnded(String task, Outcome outcome, Duration duration, Instant at) {}

  /** Ticks were not run: skipped for a reason, or missed. */
  default void ticksNotRun(String task, Outcome outcome, @Nullable SkipReason reason, long count) {}

  /** A tick was left to the leader. */
  default void tickLeftToLeader(String task) {}

  /** A claim was refused because somebody else had the tick already. */
  default void duplicateRefused(String task) {}

  /** A claim or report was refused because it came from a term or claim that is over. */
  default void refusedByFence(String task) {}

  /** This replica began or ceased to lead a group; the fence is null when it ceased. */
  default void leadership(String group, boolean leader, @Nullable Fence fence) {}

  /**
   * A run of a job ended, by that word: Succeeded, Retried, Snoozed, Died, Discarded, HandedBack,
   * Lost.
   */
  default void jobEnded(String kind, String end, Duration took) {}

  /** What this replica reported of a job was refused: the run was no longer its own. */
  default void jobRefused(String kind) {}

  /** What has an outcome that a store records. */
  enum Completion {
    /** A run of a job. */
    JOB,
    /** A tick of a task. */
    TICK
  }

  /**
   * The store refused to record so many outcomes, with an error. They are kept and sent again until
   * it takes them.
   *
   * @param count how many are not recorded yet
   * @param since when the first of an unbroken stretch was refused, by the store's clock; null if
   *     none is left
   */
  default void completionsRefused(Completion of, int count, @Nullable Instant since) {}

  /** So many handlers of jobs ignore their interrupt, were left alone and still run. */
  default void jobHandlersAbandoned(int handlers) {}

  /** This replica saw to runs of replicas that are gone. */
  default void jobsRescued(int runs) {}

  /**
   * So many jobs of a kind wait, and no live replica handles it. Every replica counts them, so take
   * the greatest figure, not the sum; 0 once they are handled.
   */
  default void jobsUnhandled(String kind, long jobs) {}
}
