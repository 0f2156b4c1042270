package dev.monotick.chaos.check;

import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a run was about.
 *
 * @param tasks names of the tasks
 * @param period how often they were due
 * @param serverClockIsRight whether times of the server can be compared: nobody set its clock
 */
public record CheckScope(Set<String> tasks, Duration period, boolean serverClockIsRight) {

  /** Tasks that are begun at most once for each tick. */
  private static final Set<String> AT_MOST_ONCE =
      Set.of(
          TaskWorkload.LEADER,
          TaskWorkload.ONE,
          TaskWorkload.SLOW,
          TaskWorkload.PAUSED,
          TaskWorkload.EDITED);

  /** Tasks whose times are in the ledger without a gap. */
  private static final Set<String> IN_LEDGER =
      Set.of(
          TaskWorkload.LEADER,
          TaskWorkload.ONE,
          TaskWorkload.AGAIN,
          TaskWorkload.EXACT,
          TaskWorkload.LEADER_AGAIN,
          TaskWorkload.ONE_EXACT,
          TaskWorkload.SLOW,
          TaskWorkload.PAUSED);

  private static final Set<String> EXACT = Set.of(TaskWorkload.EXACT, TaskWorkload.ONE_EXACT);

  /** Creates one of a run in which the server's clock was left alone. */
  public CheckScope(Set<String> tasks, Duration period) {
    this(tasks, period, true);
  }

  /** One task of each mode, at the usual pace. */
  public static CheckScope ofTasks() {
    return new CheckScope(TaskWorkload.ALL, TaskWorkload.PERIOD);
  }

  /** Returns the same of a run in which the server's clock was set. */
  public CheckScope withServerClockSet() {
    return new CheckScope(tasks, period, false);
  }

  /** Returns those that are begun at most once for each tick. */
  Set<String> atMostOnce() {
    return both(AT_MOST_ONCE);
  }

  /** Returns those whose times are in the ledger without a gap. */
  public Set<String> inLedger() {
    return both(IN_LEDGER);
  }

  /** Returns those that write into the database together with their tick. */
  Set<String> exact() {
    return both(EXACT);
  }

  private Set<String> both(Set<String> some) {
    Set<String> both = new TreeSet<>(some);
    both.retainAll(tasks);
    return both;
  }
}
