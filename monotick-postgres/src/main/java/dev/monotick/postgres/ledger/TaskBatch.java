package dev.monotick.postgres.ledger;

import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord.Status;
import dev.monotick.ledger.internal.TaskRow;
import dev.monotick.ledger.internal.TickImage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tasks that one transaction works on: locked and read at its beginning, changed by the steps
 * of {@link TaskRow}, written at its end. Nobody else changes these tasks or their ticks meanwhile,
 * because everybody locks a task's row before its ticks; so what was read is what is, and the
 * statements take the same few round trips for one task as for hundreds.
 */
final class TaskBatch {

  private final Connection connection;
  private final TaskTable tasks;
  private final TickTable ticks;
  private final Map<String, TaskTable.Stored> storedTasks = new LinkedHashMap<>();
  private final Map<TickId, TickImage> storedTicks = new HashMap<>();
  private final Map<String, TaskRow> rows = new LinkedHashMap<>();

  private TaskBatch(Connection connection, TaskTable tasks, TickTable ticks) {
    this.connection = connection;
    this.tasks = tasks;
    this.ticks = ticks;
  }

  /**
   * Locks and reads tasks.
   *
   * @param wanted ticks of theirs that matter even if they are history
   */
  static TaskBatch load(
      Connection connection,
      TaskTable tasks,
      TickTable ticks,
      Collection<String> names,
      Collection<TickId> wanted)
      throws SQLException {
    TaskBatch batch = new TaskBatch(connection, tasks, ticks);
    for (TaskTable.Stored task : tasks.lock(connection, new LinkedHashSet<>(names))) {
      batch.storedTasks.put(task.state().task(), task);
    }
    batch.readTicks(wanted);
    return batch;
  }

  /** Returns a task. */
  TaskRow task(String name) {
    TaskRow row = rows.get(name);
    if (row == null) {
      throw new IllegalArgumentException(
          "task " + name + " is not known to this ledger; register it first");
    }
    return row;
  }

  /** Returns the tasks that were found. */
  Collection<TaskRow> all() {
    return rows.values();
  }

  /** Writes what differs from what was read. */
  void save() throws SQLException {
    List<TaskTable.Stored> changedTasks = new ArrayList<>();
    List<TickImage> added = new ArrayList<>();
    List<TickImage> changed = new ArrayList<>();
    rows.forEach(
        (name, row) -> {
          TaskTable.Stored now = new TaskTable.Stored(row.state(), row.schedule());
          if (!now.equals(storedTasks.get(name))) {
            changedTasks.add(now);
          }
          for (TickImage image : row.images()) {
            TickImage before = storedTicks.get(image.row().tick());
            if (before == null) {
              added.add(image);
            } else if (!before.equals(image)) {
              changed.add(image);
            }
          }
        });
    ticks.insert(connection, added);
    ticks.update(connection, changed);
    tasks.update(connection, changedTasks);
  }

  private void readTicks(Collection<TickId> wanted) throws SQLException {
    if (!wanted.isEmpty()) {
      ticks.find(connection, new LinkedHashSet<>(wanted)).forEach(this::remember);
    }
    // All live rows must be there: the counters are counted from them. Mostly they are by now.
    Map<String, List<TickImage>> found = byTask();
    Set<String> incomplete = new LinkedHashSet<>();
    storedTasks.forEach(
        (name, task) -> {
          if (!isComplete(task.state(), found.getOrDefault(name, List.of()))) {
            incomplete.add(name);
          }
        });
    if (!incomplete.isEmpty()) {
      ticks.live(connection, incomplete).forEach(this::remember);
    }
    Map<String, List<TickImage>> all = incomplete.isEmpty() ? found : byTask();
    storedTasks.forEach(
        (name, task) ->
            rows.put(
                name,
                TaskRow.restored(
                    task.state(), task.schedule(), all.getOrDefault(name, List.of()))));
  }

  private Map<String, List<TickImage>> byTask() {
    Map<String, List<TickImage>> result = new HashMap<>();
    for (TickImage image : storedTicks.values()) {
      result.computeIfAbsent(image.row().tick().task(), name -> new ArrayList<>()).add(image);
    }
    return result;
  }

  private static boolean isComplete(TaskState state, List<TickImage> images) {
    int open = 0;
    int queued = 0;
    for (TickImage image : images) {
      open += image.occupies() ? 1 : 0;
      queued += image.row().status() == Status.WAITING ? 1 : 0;
    }
    return open == state.open() && queued == state.queued();
  }

  private void remember(TickImage image) {
    storedTicks.put(image.row().tick(), image);
  }
}
