package dev.monotick.engine;

import dev.monotick.MonotickBuilder;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.schedule.internal.EditDistance;
import dev.monotick.spi.replica.LeaseTiming;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an operator may set, in code or by environment; see {@link MonotickBuilder#environment}.
 *
 * @param replicaName what people call this replica
 * @param leadership how LEADER tasks find their replica
 * @param leaderTasksEverywhere whether LEADER tasks run on every replica, duplicates and all
 * @param leaseTiming timing of leadership, null for what the backend is meant for
 * @param taskIntervals intervals that replace the schedules of tasks, by {@linkplain #taskKey key}
 * @param taskTimeouts timeouts that replace those of tasks, by {@linkplain #taskKey key}
 */
public record ReplicaSettings(
    String replicaName,
    LeadershipMode leadership,
    boolean leaderTasksEverywhere,
    @Nullable LeaseTiming leaseTiming,
    Map<String, Duration> taskIntervals,
    Map<String, Duration> taskTimeouts) {

  /** Copies the maps. */
  public ReplicaSettings {
    taskIntervals = Map.copyOf(taskIntervals);
    taskTimeouts = Map.copyOf(taskTimeouts);
  }

  /** Returns how a task is called in the names of environment variables. */
  public static String taskKey(String task) {
    return task.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }

  /**
   * Refuses settings of tasks that do not exist: they would have no effect.
   *
   * @throws IllegalArgumentException naming the setting and the nearest task
   */
  public void requireKnownTasks(Collection<String> tasks) {
    Set<String> keys = tasks.stream().map(ReplicaSettings::taskKey).collect(Collectors.toSet());
    requireKnown(taskIntervals.keySet(), "INTERVAL", keys);
    requireKnown(taskTimeouts.keySet(), "TIMEOUT", keys);
  }

  private static void requireKnown(Set<String> set, String what, Set<String> keys) {
    for (String key : new TreeSet<>(set)) {
      if (!keys.contains(key)) {
        throw new IllegalArgumentException(
            "MONOTICK_TASK_"
                + key
                + "_"
                + what
                + " has no effect, no task of that name was registered before start"
                + suggestion(key, keys));
      }
    }
  }

  /** Returns "; did you mean X?" with the nearest of the names, or the empty text. */
  public static String suggestion(String wrong, Collection<String> names) {
    String nearest = null;
    int distance = Math.max(2, wrong.length() / 3) + 1;
    for (String name : new TreeSet<>(names)) {
      int d = EditDistance.between(wrong, name);
      if (d < distance) {
        distance = d;
        nearest = name;
      }
    }
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }
}
