package dev.monotick.postgres.difference;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Counts what happened in a comparison: where nothing happens, stores agree on nothing. */
final class Tally {

  enum Event {
    STEP,
    HAND_OFF,
    RESCUE,
    RESCUE_BESIDE_GRACE,
    REFUSED_REPORT,
    REFUSED_REPORT_OF_FORGOTTEN_JOB,
    REPORT_OF_FORMER_MEMBERSHIP,
    LATE_TURN,
    PURGE,
    RETENTION_DROP,
    QUEUE_RETENTION_DROP,
    REJOIN,
    REFUSED_JOIN,
    START_RECORD
  }

  private final Map<Event, Long> counts = new EnumMap<>(Event.class);

  void add(Event event, long count) {
    if (count > 0) {
      counts.merge(event, count, Long::sum);
    }
  }

  void add(Tally other) {
    other.counts.forEach(this::add);
  }

  /** Returns what never happened. */
  List<Event> missing() {
    return Stream.of(Event.values()).filter(event -> !counts.containsKey(event)).toList();
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
