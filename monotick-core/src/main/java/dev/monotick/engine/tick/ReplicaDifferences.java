package dev.monotick.engine.tick;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.task.TaskStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
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
 * rows, at most one heartbeat old.
 *
 * <p>The winner is alive, and runs the task unless its registration says LEADER. Then the leader of
 * that group alone runs the task, by its own registration, as it does where all say LEADER. An
 * older replica that leads the group would otherwise keep the task from running until it stops.
 *
 * <p>Called on the loop. What was last seen stays while the store does not answer.
 */
public final class ReplicaDifferences {

  private static final Logger log = LoggerFactory.getLogger(ReplicaDifferences.class);

  /** All replicas order each other in the same way. */
  private static final Comparator<MemberInfo> BY_START =
      Comparator.comparing(MemberInfo::startedAt).thenComparing(MemberInfo::id);

  private final Supplier<MemberId> self; // another one after each membership that was lost
  private Map<String, List<TaskStatus.Difference>> differences = Map.of();
  private Map<String, Winner> superseded = Map.of();
  private List<MemberInfo> comparedAt = List.of();
  private Set<String> loggedTasks = Set.of();
  private Set<String> loggedZones = Set.of();

  /**
   * A registration that counts instead of this replica's.
   *
   * @param replica name of the replica that registered it
   * @param group the group whose leader runs the task, null unless it is registered as LEADER
   */
  public record Winner(String replica, @Nullable String group) {}

  public ReplicaDifferences(Supplier<MemberId> self) {
    this.self = self;
  }

  /** Returns in what registrations of live replicas differ from this one's. */
  public List<TaskStatus.Difference> of(String task) {
    return differences.getOrDefault(task, List.of());
  }

  /** Returns the registration of the task that counts instead; null if this replica's does. */
  @Nullable
  public Winner winner(String task) {
    return superseded.get(task);
  }

  /**
   * Compares this replica with the others.
   *
   * @param live the live replicas, this one among them
   * @return the tasks that another registration superseded before, but not this one any more
   */
  public Set<String> compare(List<MemberInfo> live) {
    if (live.equals(comparedAt)) { // as nearly always
      return Set.of();
    }
    MemberId id = self.get();
    MemberInfo own = live.stream().filter(each -> each.id().equals(id)).findAny().orElse(null);
    if (own == null) {
      return Set.of();
    }
    comparedAt = List.copyOf(live);
    List<MemberInfo> others =
        live.stream().filter(each -> !each.id().equals(id)).sorted(BY_START).toList();
    Map<String, Winner> before = superseded;
    compareTasks(own, others);
    compareZones(own, others);
    Set<String> changed = new HashSet<>(before.keySet());
    changed.removeIf(task -> Objects.equals(before.get(task), superseded.get(task)));
    return changed;
  }

  private void compareTasks(MemberInfo own, List<MemberInfo> others) {
    Map<String, List<TaskStatus.Difference>> found = new HashMap<>();
    Map<String, Winner> winners = new HashMap<>();
    own.config()
        .tasks()
        .forEach(
            (task, text) -> {
              MemberInfo newest = own;
              for (MemberInfo other : others) {
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
                String group = TaskDefinition.parse(winning).leadingGroup();
                winners.put(task, new Winner(newest.name(), group));
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
    Winner winner = superseded.get(task);
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
              : "this replica leaves its ticks to "
                  + (winner.group() == null
                      ? ""
                      : "the leader of group " + winner.group() + " and ")
                  + winner.replica()
                  + ", which started later");
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

  private void compareZones(MemberInfo own, List<MemberInfo> others) {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (MemberInfo other : others) {
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
