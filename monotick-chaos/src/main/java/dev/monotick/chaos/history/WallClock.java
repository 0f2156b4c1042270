package dev.monotick.chaos.history;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What the machine's wall clock said at readings of its monotonic clock. Both are told every now
 * and then, because they need not run at the same speed.
 */
public final class WallClock {

  /** The kind of event that tells both. */
  public static final String KIND = "clock";

  private final NavigableMap<Long, Instant> recorded = new TreeMap<>();

  private WallClock() {}

  /** Returns an event that tells both clocks now. */
  public static HistoryEvent now() {
    long before = System.nanoTime();
    Instant wall = Instant.now();
    long after = System.nanoTime();
    return HistoryEvent.at(before + (after - before) / 2, KIND, "wall", wall);
  }

  /** Reads what a journal tells of the clocks. */
  public static WallClock of(List<Journal.Entry> entries) {
    WallClock clock = new WallClock();
    for (Journal.Entry entry : entries) {
      if (entry.is(KIND)) {
        clock.recorded.put(entry.event().nanos(), Instant.parse(entry.event().get("wall")));
      }
    }
    if (clock.recorded.isEmpty()) {
      throw new IllegalArgumentException("the journal does not tell the time");
    }
    return clock;
  }

  /** Returns the date at a reading of the monotonic clock. */
  public Instant at(long nanos) {
    Long known = recorded.floorKey(nanos);
    long nearest = known == null ? recorded.firstKey() : known;
    Instant wall = recorded.getOrDefault(nearest, Instant.EPOCH);
    return wall.plusNanos(nanos - nearest).truncatedTo(ChronoUnit.MICROS);
  }
}
