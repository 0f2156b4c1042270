package dev.monotick.cli;

import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/** What a reader should know about a time on a day on which the clocks change. */
final class ClockChange {

  private ClockChange() {}

  /** Returns a remark, or nothing for a time on an ordinary day. */
  static String remark(ZonedDateTime time) {
    ZoneRules rules = time.getZone().getRules();
    ZoneOffsetTransition repeated = rules.getTransition(time.toLocalDateTime());
    if (repeated != null && repeated.isOverlap()) {
      boolean first = time.getOffset().equals(repeated.getOffsetBefore());
      return (first ? "the first " : "the second ")
          + time.toLocalTime()
          + ": "
          + change(repeated, "back");
    }
    LocalDateTime midnight = time.toLocalDate().atStartOfDay();
    ZoneOffsetTransition next =
        rules.nextTransition(midnight.atZone(time.getZone()).toInstant().minusSeconds(1));
    if (next == null || !isOn(next, time)) {
      return "";
    }
    if (next.isGap() && next.getInstant().equals(time.toInstant())) {
      return change(next, "forward") + ", and this is the first time after it";
    }
    return change(next, next.isGap() ? "forward" : "back");
  }

  private static boolean isOn(ZoneOffsetTransition change, ZonedDateTime time) {
    return change.getDateTimeBefore().toLocalDate().equals(time.toLocalDate())
        || change.getDateTimeAfter().toLocalDate().equals(time.toLocalDate());
  }

  private static String change(ZoneOffsetTransition change, String direction) {
    LocalTime before = change.getDateTimeBefore().toLocalTime();
    LocalTime after = change.getDateTimeAfter().toLocalTime();
    return "clocks go " + direction + " from " + before + " to " + after;
  }
}
