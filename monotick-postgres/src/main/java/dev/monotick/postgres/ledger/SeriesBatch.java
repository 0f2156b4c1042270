package dev.monotick.postgres.ledger;

import dev.monotick.internal.ledger.SeriesRow;
import dev.monotick.internal.ledger.TickImage;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord.Status;
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
 * of {@link SeriesRow}, written at its end. Nobody else changes these tasks or their ticks
 * meanwhile, because everybody locks a task's row before its ticks; so what was read is what is,
 * and the statements take the same few round trips for one task as for hundreds.
 */
final class SeriesBatch {

  private final Connection connection;
  private final SeriesTable tasks;
  private final TickTable ticks;
  private final Map<String, SeriesTable.Stored> storedTasks = new LinkedHashMap<>();
  private final Map<TickId, TickImage> storedTicks = new HashMap<>();
  private final Map<String, SeriesRow> rows = new LinkedHashMap<>();

  private SeriesBatch(Connection connection, SeriesTable tasks, TickTable ticks) {
    this.connection = connection;
    this.tasks = tasks;
    this.ticks = ticks;
  }

  /**
   * Locks and reads tasks.
   *
   * @param wanted ticks of theirs that matter even if they are history
   */
  static SeriesBatch load(
      Connection connection,
      SeriesTable tasks,
      TickTable ticks,
      Collection<String> names,
      Collection<TickId> wanted)
      throws SQLException {
    SeriesBatch batch = new SeriesBatch(connection, tasks, ticks);
    for (SeriesTable.Stored task : tasks.lock(connection, new LinkedHashSet<>(names))) {
      batch.storedTasks.put(task.state().task(), task);
    }
    batch.readTicks(wanted);
    return batch;
  }

  /** Returns a task. */
  SeriesRow task(String name) {
    SeriesRow row = rows.get(name);
    if (row == null) {
      throw new IllegalArgumentException(
          "task " + name + " is not known to this ledger; register it first");
    }
    return row;
  }

  /** Returns the tasks that were found. */
  Collection<SeriesRow> all() {
    return rows.values();
  }

  /** Writes what differs from what was read. */
  void save() throws SQLException {
    List<SeriesTable.Stored> changedTasks = new ArrayList<>();
    List<TickImage> added = new ArrayList<>();
    List<TickImage> changed = new ArrayList<>();
    rows.forEach(
        (name, row) -> {
          SeriesTable.Stored now = new SeriesTable.Stored(row.state(), row.schedule());
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
                SeriesRow.restored(
                    task.state(), task.schedule(), all.getOrDefault(name, List.of()))));
  }

  private Map<String, List<TickImage>> byTask() {
    Map<String, List<TickImage>> result = new HashMap<>();
    for (TickImage image : storedTicks.values()) {
      result.computeIfAbsent(image.row().tick().task(), name -> new ArrayList<>()).add(image);
    }
    return result;
  }

  private static boolean isComplete(SeriesState state, List<TickImage> images) {
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
