package dev.monotick.chaos.check;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Nobody is told that it may act after its term is over. Bodies read the clock, ask, and tell the
 * reading if the answer was yes; how long the term could be relied on is told beside.
 */
final class TermChecks {

  private TermChecks() {}

  static void check(List<Journal.Entry> journal, Findings findings) {
    Map<String, Long> until = new HashMap<>();
    for (Journal.Entry entry : journal) {
      if (entry.is("trust")) {
        until.merge(key(entry), Long.parseLong(entry.event().get("until")), Math::max);
      }
    }
    long guards = 0;
    for (Journal.Entry entry : journal) {
      if (entry.is("guard")) {
        guards++;
        HistoryEvent event = entry.event();
        long over = event.nanos() - until.getOrDefault(key(entry), Long.MIN_VALUE / 2);
        if (over > 0) {
          findings.violation("nothing starts after its term", over / 1_000 + " us late: " + entry);
        }
      }
    }
    findings.guards(guards);
  }

  private static String key(Journal.Entry entry) {
    return entry.source() + "/" + entry.event().get("fence");
  }
}
