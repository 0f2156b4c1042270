package dev.monotick.chaos.check;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When two replicas may rely on leadership at once without a promise being broken: if the clock of
 * one ran faster or slower than others by more than is allowed; or if all sessions of one that
 * lives were ended at the same moment, which looks like its death, until its next renewal. Nothing
 * else is an excuse, and these excuse nothing else.
 */
final class AllowedOverlaps {

  /** The promise is about rates that differ by less than a tenth. */
  private static final double FASTEST = 1.0495;

  private static final double SLOWEST = 0.9505;

  /** Renewal interval and time-out of the leases used here, and some. */
  private static final long NOTICED = Duration.ofSeconds(2).toNanos();

  private final Map<String, Double> rates = new HashMap<>();
  private final Map<String, List<Long>> cut = new HashMap<>();

  private AllowedOverlaps() {}

  static AllowedOverlaps of(List<Journal.Entry> journal) {
    AllowedOverlaps excuses = new AllowedOverlaps();
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      switch (event.kind()) {
        case "started" ->
            event
                .find("rate")
                .ifPresent(rate -> excuses.rates.put(entry.source(), Double.parseDouble(rate)));
        case "reset", "terminate" ->
            excuses
                .cut
                .computeIfAbsent(event.get("whom"), whom -> new ArrayList<>())
                .add(event.nanos());
        default -> {}
      }
    }
    return excuses;
  }

  boolean excuse(LeadershipInterval one, LeadershipInterval other) {
    boolean inOrder = other.fence().isNewerThan(one.fence());
    LeadershipInterval older = inOrder ? one : other;
    LeadershipInterval newer = inOrder ? other : one;
    return isBeyondBound(one)
        || isBeyondBound(other)
        || cut.getOrDefault(older.source(), List.of()).stream()
            .anyMatch(at -> newer.from() >= at && newer.from() - at < NOTICED);
  }

  private boolean isBeyondBound(LeadershipInterval term) {
    double rate = rates.getOrDefault(term.source(), 1.0);
    return rate > FASTEST || rate < SLOWEST;
  }
}
