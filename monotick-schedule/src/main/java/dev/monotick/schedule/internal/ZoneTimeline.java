package dev.monotick.schedule.internal;

import java.time.Instant;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The spans of a zone's rules, computed once for the decades that schedules ask about and shared by
 * all schedules of the zone. Other times are computed when asked for.
 */
public final class ZoneTimeline {

  private static final Instant FIRST = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("2070-01-01T00:00:00Z");

  /** Never grows beyond the number of different zones. */
  private static final Map<ZoneRules, ZoneTimeline> KNOWN = new ConcurrentHashMap<>();

  private final ZoneRules rules;
  private final ZoneSpan[] spans;
  private final long[] starts;

  private ZoneTimeline(ZoneRules rules) {
    this.rules = rules;
    List<ZoneSpan> found = new ArrayList<>();
    ZoneSpan span = ZoneSpan.at(rules, FIRST.getEpochSecond());
    found.add(span);
    while (!span.isLast() && span.end < LAST.getEpochSecond()) {
      span = span.next();
      found.add(span);
    }
    this.spans = found.toArray(ZoneSpan[]::new);
    this.starts = found.stream().mapToLong(known -> known.start).toArray();
  }

  public static ZoneTimeline of(ZoneRules rules) {
    return KNOWN.computeIfAbsent(rules, ZoneTimeline::new);
  }

  /** Returns the span that contains {@code second}. */
  public ZoneSpan at(long second) {
    int index = Arrays.binarySearch(starts, second);
    int candidate = index >= 0 ? index : -index - 2;
    if (candidate >= 0 && spans[candidate].contains(second)) {
      return spans[candidate];
    }
    return ZoneSpan.at(rules, second);
  }
}
