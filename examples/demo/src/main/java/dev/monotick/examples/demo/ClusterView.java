package dev.monotick.examples.demo;

import dev.monotick.leader.Fence;
import dev.monotick.task.HaMode;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything there is to see at a moment.
 *
 * @param uptime how long the demo has run
 * @param replicas how the replicas are doing
 * @param tasks one row for each task
 * @param proof whether each tick had one effect
 * @param outbox what became of the messages
 * @param events the newest lines of what happened
 */
record ClusterView(
    Duration uptime,
    List<ReplicaRow> replicas,
    List<TaskRow> tasks,
    Proof proof,
    Outbox.Figures outbox,
    List<String> events) {

  /** How a replica is doing. */
  enum State {
    LEADS,
    FOLLOWS,
    STOPPING,
    STOPPED
  }

  /**
   * One replica.
   *
   * @param name what it is called
   * @param state how it is doing
   * @param cut whether it is cut off from the store
   * @param fence the fence of its term, null if it does not lead
   * @param validFor how long its term may be relied on without a renewal
   */
  record ReplicaRow(
      String name, State state, boolean cut, @Nullable Fence fence, Duration validFor) {}

  /**
   * One task.
   *
   * @param name what it is called
   * @param mode which replicas run it
   * @param next how long until its next tick, null if nobody knows of one
   * @param last how the newest tick went
   * @param ranOn who ran the newest tick
   * @param runs how many bodies were started
   * @param refused how many claims were refused because another replica was first
   */
  record TaskRow(
      String name,
      HaMode mode,
      @Nullable Duration next,
      String last,
      String ranOn,
      long runs,
      long refused) {}

  /**
   * The account of all ticks that only one replica may run.
   *
   * @param due how many were due
   * @param ran how many had an effect
   * @param notRun how many were recorded as skipped or missed
   * @param duplicates how many effects were one too many, over all tasks
   */
  record Proof(long due, long ran, long notRun, long duplicates) {

    /** Returns how many were due and have neither run nor been recorded yet. */
    long open() {
      return due - ran - notRun;
    }
  }
}
