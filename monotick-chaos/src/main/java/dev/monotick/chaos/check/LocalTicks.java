package dev.monotick.chaos.check;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Ticks that need no agreement are kept by each replica for itself: what it told of them must leave
 * none out either.
 */
final class LocalTicks {

  private static final Set<String> TASKS = Set.of(TaskWorkload.EVERY, TaskWorkload.SHARED);

  private LocalTicks() {}

  static void check(CheckScope scope, List<Journal.Entry> journal, Findings findings) {
    Map<String, SortedMap<Instant, Instant>> told = new TreeMap<>();
    for (Journal.Entry entry : journal) {
      HistoryEvent event = entry.event();
      if (TASKS.contains(event.fields().getOrDefault("task", ""))) {
        SortedMap<Instant, Instant> ranges =
            told.computeIfAbsent(entry.source() + " " + event.get("task"), key -> new TreeMap<>());
        switch (event.kind()) {
          case "notRun" -> put(ranges, event.get("first"), event.get("last"));
          case "began", "ended", "skipped" ->
              put(ranges, event.get("nominal"), event.get("nominal"));
          default -> {}
        }
      }
    }
    told.forEach((whose, ranges) -> check(scope, whose, ranges, findings));
  }

  private static void put(SortedMap<Instant, Instant> ranges, String first, String last) {
    ranges.put(Instant.parse(first), Instant.parse(last));
  }

  private static void check(
      CheckScope scope, String whose, SortedMap<Instant, Instant> ranges, Findings findings) {
    Instant expected = null;
    for (Map.Entry<Instant, Instant> range : ranges.entrySet()) {
      if (expected != null && !range.getKey().equals(expected)) {
        findings.violation(
            "every tick has one outcome",
            whose + ": " + range.getKey() + " comes where " + expected + " should");
      }
      expected = range.getValue().plus(scope.period());
    }
  }
}
