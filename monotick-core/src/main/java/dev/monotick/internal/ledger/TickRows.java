package dev.monotick.internal.ledger;

import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one task. Those that wait or occupy the task are apart and never dropped; there are
 * few, so they are searched one by one. Of the others only the newest are kept, for people to read
 * and to recognise a report that is sent again: no tick is unique because of them.
 *
 * <p>Not thread-safe: guarded by the lock of its {@link SeriesRow}.
 */
final class TickRows {

  private static final Comparator<TickRecord> NEWEST_FIRST =
      Comparator.comparing((TickRecord row) -> row.tick().nominal()).reversed();

  private static final int KEPT_TRIGGERS = 1000;

  private final List<TickRow> live = new ArrayList<>(2);
  private final Deque<EndedRow> over = new ArrayDeque<>(1); // in the order in which they ended

  // Apart from the rows, so that a key is known for longer than its row is kept.
  private @Nullable Set<String> triggers;

  List<TickRow> live() {
    return live;
  }

  void add(TickRow row) {
    live.add(row);
  }

  void restore(TickImage image) {
    if (image.isHistory()) {
      over.addLast(new EndedRow(image.row()));
    } else {
      live.add(TickRow.restored(image));
    }
  }

  List<TickImage> images(String task) {
    List<TickImage> images = new ArrayList<>(live.size() + over.size());
    live.forEach(row -> images.add(row.image()));
    over.forEach(row -> images.add(TickImage.ofHistory(row.toRecord(task))));
    return images;
  }

  /** Adds a row that never lives. */
  void addOver(TickRow row, int kept) {
    over.addLast(new EndedRow(row.toRecord()));
    while (over.size() > kept) {
      over.removeFirst();
    }
  }

  /** Moves a row that neither waits nor occupies the task any more. */
  void retire(TickRow row, int kept) {
    live.remove(row); // a row equals nothing but itself
    addOver(row, kept);
  }

  int occupying() {
    int count = 0;
    for (TickRow row : live) {
      count += row.occupies() ? 1 : 0;
    }
    return count;
  }

  int waiting() {
    int count = 0;
    for (TickRow row : live) {
      count += row.is(Status.WAITING) ? 1 : 0;
    }
    return count;
  }

  /** Says whether all runs that have not ended, if any, let others run beside them. */
  boolean letOthersRun() {
    for (TickRow row : live) {
      if (row.occupies() && !row.allowsOthers()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a scheduled tick waits that is older than this one. */
  boolean olderWaits(TickId than) {
    for (TickRow row : live) {
      if (row.is(Status.WAITING)
          && row.isScheduled()
          && row.tick().nominal().isBefore(than.nominal())) {
        return true;
      }
    }
    return false;
  }

  @Nullable TickRow running(TickClaimId claim, TickId tick) {
    for (TickRow row : live) {
      if (row.is(Status.RUNNING) && row.isOf(claim) && row.tick().equals(tick)) {
        return row;
      }
    }
    return null;
  }

  @Nullable TickRow waiting(TickId tick) {
    for (TickRow row : live) {
      if (row.is(Status.WAITING) && row.tick().equals(tick)) {
        return row;
      }
    }
    return null;
  }

  /** Returns the live row whose newest claim is this one. */
  @Nullable TickRow newestClaim(TickClaimId claim, TickId tick) {
    for (TickRow row : live) {
      if (row.isOf(claim) && row.tick().equals(tick)) {
        return row;
      }
    }
    return null;
  }

  /** Returns how the tick ended of which this was the newest claim; null if nothing tells. */
  @Nullable Outcome endOf(TickClaimId claim, TickId tick) {
    for (Iterator<EndedRow> newest = over.descendingIterator(); newest.hasNext(); ) {
      EndedRow row = newest.next();
      if (row.isOf(claim, tick)) {
        return row.outcome();
      }
    }
    return null;
  }

  /** Remembers a trigger's key, and the last thousand before it; false if it was there already. */
  boolean addTrigger(String key) {
    if (triggers == null) {
      triggers = new LinkedHashSet<>();
    }
    if (!triggers.add(key)) {
      return false;
    }
    if (triggers.size() > KEPT_TRIGGERS) {
      triggers.remove(triggers.iterator().next());
    }
    return true;
  }

  List<TickRecord> newestFirst(String task, int limit) {
    List<TickRecord> rows = new ArrayList<>(over.size() + live.size());
    over.forEach(row -> rows.add(row.toRecord(task)));
    live.forEach(row -> rows.add(row.toRecord()));
    rows.sort(NEWEST_FIRST);
    return List.copyOf(rows.subList(0, Math.min(limit, rows.size())));
  }
}
