package dev.monotick.chaos.replica;

import java.time.Duration;

/**
 * What the replicas of a cluster do, all alike.
 *
 * @param period how often tasks are due
 * @param jobs whether they run jobs, too
 * @param unguarded whether the ledger is switched off: each replica then has one of its own, in its
 *     memory, and effects carry no fence. For the control, which must fail.
 */
public record ReplicaTraits(Duration period, boolean jobs, boolean unguarded) {

  /** Tasks alone, as often as {@link TaskWorkload#PERIOD}. */
  public static final ReplicaTraits TASKS = new ReplicaTraits(TaskWorkload.PERIOD, false, false);
}
