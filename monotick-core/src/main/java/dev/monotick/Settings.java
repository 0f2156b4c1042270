package dev.monotick;

import dev.monotick.leader.LeaseTiming;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operator may set, in code or by environment; see {@link MonotickBuilder#environment}.
 *
 * @param replicaName what people call this replica
 * @param leadership how LEADER tasks find their replica
 * @param leaderTasksEverywhere whether LEADER tasks run on every replica, duplicates and all
 * @param leaseTiming timing of leadership, null for what the backend is meant for
 * @param taskIntervals intervals that replace the schedules of tasks, by task key
 * @param taskTimeouts timeouts that replace those of tasks, by task key
 */
public record Settings(
    String replicaName,
    Leadership leadership,
    boolean leaderTasksEverywhere,
    @Nullable LeaseTiming leaseTiming,
    Map<String, Duration> taskIntervals,
    Map<String, Duration> taskTimeouts) {

  /** Copies the maps. */
  public Settings {
    taskIntervals = Map.copyOf(taskIntervals);
    taskTimeouts = Map.copyOf(taskTimeouts);
  }
}
