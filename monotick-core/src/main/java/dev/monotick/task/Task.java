package dev.monotick.task;

import dev.monotick.schedule.Schedule;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;

/**
 * Named recurring work, written in code: what to run, when, and on which replicas. Implement it, or
 * use {@link #named}.
 *
 * <p>All methods but {@link #execute} are called once, at registration, and what they return is
 * checked there.
 */
public interface Task extends TaskBody {

  /** The timeout of tasks that name none. */
  Duration DEFAULT_TIMEOUT = Duration.ofMinutes(2);

  /** The longest timeout a task may have. */
  Duration MAXIMUM_TIMEOUT = Duration.ofHours(24);

  /** The leadership group of tasks that name none. */
  String DEFAULT_GROUP = "default";

  /**
   * Returns the name: unique, stable over deployments, up to 200 letters, digits and {@code ._-}.
   */
  String name();

  /** Returns when it is due. */
  Schedule schedule();

  /** Returns which replicas run a tick. There is no default: only the author can know. */
  HaMode mode();

  /** Returns what a tick promises when its replica dies in the middle. */
  default Effect effect() {
    return Effect.AT_MOST_ONCE;
  }

  /** Returns the leadership group, for {@link HaMode#LEADER}. */
  default String group() {
    return DEFAULT_GROUP;
  }

  /** Returns what happens to a tick that is due while a run has not ended. */
  default Overlap overlap() {
    return Overlap.SKIP;
  }

  /** Returns what happens to ticks that were due while nobody was there. */
  default CatchUp catchUp() {
    return CatchUp.ofDefaults();
  }

  /** Returns how long a run may take; at most {@link #MAXIMUM_TIMEOUT}. */
  default Duration timeout() {
    return DEFAULT_TIMEOUT;
  }

  /** Returns how long the task is left alone after failures. */
  default Backoff backoff() {
    return Backoff.ofDefaults();
  }

  /** Returns after how many failures in a row the task pauses until resumed; 0 for never. */
  default int pauseAfterFailures() {
    return 0;
  }

  /** Returns by how much ticks are spread: each is due less than this after its nominal time. */
  default Duration jitter() {
    return Duration.ZERO;
  }

  /**
   * Says whether the tick of the current period runs when the first replica starts, if no replica
   * has run it: once for the cluster, so that a rolling restart causes no burst.
   */
  default boolean runAtStart() {
    return false;
  }

  /** Returns how many pieces of work a replica may have at a time, for {@link HaMode#SHARED}. */
  default int slots() {
    return 1;
  }

  /** Begins a task of that name. */
  static TaskBuilder named(String name) {
    return new TaskBuilder(name);
  }

  /**
   * Begins a task with the name and all policies of another one, to change some of them. The
   * schedule may be replaced; {@link TaskBuilder#run} takes the body, which may be that task.
   */
  static TaskBuilder like(Task task) {
    return new TaskBuilder(task);
  }
}
