package dev.monotick.engine;

import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.task.TaskStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In what the live replicas differ from this one, where they should not: registrations of one task,
 * and time-zone data. Each difference is logged once while it lasts.
 *
 * <p>Of several registrations of a task that cannot stand side by side, the one of the replica that
 * started last wins. Replicas with another one run no scheduled tick of the task while that replica
 * lives: a rolling deployment moves forward, and so does a rollback. All replicas judge by the same
 * rows, at most one heartbeat old, and the winner is alive, so some replica always runs the task.
 *
 * <p>Called on the loop. What was last seen stays while the store does not answer.
 */
final class ReplicaDifferences {

  private static final Logger log = LoggerFactory.getLogger(ReplicaDifferences.class);

  /** All replicas order each other in the same way. */
  private static final Comparator<ReplicaInfo> BY_START =
      Comparator.comparing(ReplicaInfo::startedAt).thenComparing(ReplicaInfo::id);

  private final ReplicaId self;
  private Map<String, List<TaskStatus.Difference>> differences = Map.of();
  private Map<String, String> superseded = Map.of();
  private List<ReplicaInfo> lookedAt = List.of();
  private Set<String> loggedTasks = Set.of();
  private Set<String> loggedZones = Set.of();

  ReplicaDifferences(ReplicaId self) {
    this.self = self;
  }

  /** Returns in what registrations of live replicas differ from this one's. */
  List<TaskStatus.Difference> of(String task) {
    return differences.getOrDefault(task, List.of());
  }

  /** Returns the replica whose registration of the task counts instead; null if this one's does. */
  @Nullable String supersededBy(String task) {
    return superseded.get(task);
  }

  /**
   * Compares this replica with the others.
   *
   * @param live the live replicas, this one among them
   * @return the tasks whose registration here counts from now on, and did not before
   */
  Set<String> look(List<ReplicaInfo> live) {
    if (live.equals(lookedAt)) { // as nearly always
      return Set.of();
    }
    ReplicaInfo own = live.stream().filter(each -> each.id().equals(self)).findAny().orElse(null);
    if (own == null) {
      return Set.of();
    }
    lookedAt = List.copyOf(live);
    List<ReplicaInfo> others =
        live.stream().filter(each -> !each.id().equals(self)).sorted(BY_START).toList();
    Map<String, String> before = superseded;
    compareTasks(own, others);
    compareZones(own, others);
    Set<String> again = new HashSet<>(before.keySet());
    again.removeAll(superseded.keySet());
    return again;
  }

  private void compareTasks(ReplicaInfo own, List<ReplicaInfo> others) {
    Map<String, List<TaskStatus.Difference>> found = new HashMap<>();
    Map<String, String> winners = new HashMap<>();
    own.config()
        .tasks()
        .forEach(
            (task, text) -> {
              ReplicaInfo newest = own;
              for (ReplicaInfo other : others) {
                String there = other.config().tasks().get(task);
                if (there != null && BY_START.compare(other, newest) > 0) {
                  newest = other;
                }
                if (there != null && !there.equals(text)) {
                  List<TaskStatus.Difference> differing =
                      TaskDefinition.parse(text)
                          .differences(TaskDefinition.parse(there), other.name());
                  if (!differing.isEmpty()) {
                    found.computeIfAbsent(task, name -> new ArrayList<>()).addAll(differing);
                  }
                }
              }
              String winning = newest.config().tasks().getOrDefault(task, text);
              if (!winning.equals(text) && isSuperseded(text, winning, newest.name())) {
                winners.put(task, newest.name());
              }
            });
    differences = found;
    superseded = winners;
    Set<String> logged = new HashSet<>();
    new TreeMap<>(found).forEach((task, all) -> logged.add(logOnce(task, all)));
    loggedTasks = logged;
  }

  private static boolean isSuperseded(String text, String winning, String winner) {
    TaskDefinition here = TaskDefinition.parse(text);
    TaskDefinition there = TaskDefinition.parse(winning);
    return !here.differences(there, winner).isEmpty() && !here.isCompatibleWith(there);
  }

  /** Returns what was logged, so that it is not logged again while it lasts. */
  private String logOnce(String task, List<TaskStatus.Difference> all) {
    String winner = superseded.get(task);
    Map<String, Set<String>> values = new TreeMap<>();
    for (TaskStatus.Difference each : all) {
      values
          .computeIfAbsent(each.property(), name -> new TreeSet<>())
          .add("\"" + each.there() + "\" on " + each.replica());
    }
    String text =
        values.entrySet().stream()
            .map(
                each ->
                    each.getKey()
                        + " is \""
                        + here(all, each.getKey())
                        + "\" here and "
                        + String.join(" and ", each.getValue()))
            .collect(Collectors.joining(", "));
    String key = task + winner + values.keySet();
    if (!loggedTasks.contains(key)) {
      log.warn(
          "task={} is registered differently: {}; {}",
          task,
          text,
          winner == null
              ? "this replica goes by its own registration"
              : "this replica leaves its ticks to " + winner + ", which started later");
    }
    return key;
  }

  private static String here(List<TaskStatus.Difference> all, String property) {
    return all.stream()
        .filter(each -> each.property().equals(property))
        .map(TaskStatus.Difference::here)
        .findFirst()
        .orElse("");
  }

  private void compareZones(ReplicaInfo own, List<ReplicaInfo> others) {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (ReplicaInfo other : others) {
      String tzdb = other.config().tzdb();
      if (!tzdb.isEmpty() && !tzdb.equals(own.config().tzdb())) {
        versions.computeIfAbsent(tzdb, version -> new TreeSet<>()).add(other.name());
      }
    }
    versions.forEach(
        (version, names) -> {
          if (!loggedZones.contains(version)) {
            log.warn(
                "time-zone data differ: tzdb={} here, tzdb={} on {}; schedules with a time zone may"
                    + " have other times there, use one JDK update everywhere",
                own.config().tzdb(),
                version,
                String.join(", ", names));
          }
        });
    loggedZones = Set.copyOf(versions.keySet());
  }
}
