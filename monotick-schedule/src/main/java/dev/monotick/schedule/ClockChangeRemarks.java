package dev.monotick.schedule;

import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.time.zone.ZoneRules;
import java.util.List;

/**
 * Says what happens to a schedule's fixed times when the clocks of its zone change, for zones that
 * go on changing them.
 */
final class ClockChangeRemarks {

  /** A year far enough that only rules without an end still apply to it. */
  private static final int SAMPLE_YEAR = 2040;

  private ClockChangeRemarks() {}

  static String of(Cron cron, CronFields fields) {
    if (fields.hour().open()) {
      return ""; // follows elapsed time, of which every day has the same
    }
    boolean elapsed = fields.followsElapsedTime();
    Cron.Gap gap = elapsed ? Cron.Gap.SKIP : cron.gap();
    Cron.Overlap overlap = elapsed ? Cron.Overlap.BOTH : cron.overlap();
    StringBuilder remarks = new StringBuilder();
    boolean forward = false;
    boolean back = false;
    for (ZoneOffsetTransition change : yearlyChanges(cron.zone().getRules())) {
      if (change.isGap() && !forward) {
        forward = forward(remarks, gap, fields, change);
      } else if (change.isOverlap() && !back) {
        back = back(remarks, overlap, fields, change);
      }
    }
    return remarks.toString();
  }

  private static boolean forward(
      StringBuilder remarks, Cron.Gap gap, CronFields fields, ZoneOffsetTransition change) {
    LocalTime from = change.getDateTimeBefore().toLocalTime();
    if (!hasTimeFrom(fields, from, (int) change.getDuration().toSeconds())) {
      return false;
    }
    boolean all = Long.bitCount(fields.hour().bits()) == 1;
    remarks
        .append("; ")
        .append(all ? "" : "times from " + from + " on are ")
        .append(
            gap == Cron.Gap.SKIP
                ? "left out when clocks go forward"
                : "moved to "
                    + change.getDateTimeAfter().toLocalTime()
                    + " when clocks go forward");
    return true;
  }

  private static boolean back(
      StringBuilder remarks, Cron.Overlap overlap, CronFields fields, ZoneOffsetTransition change) {
    LocalTime from = change.getDateTimeAfter().toLocalTime();
    if (!hasTimeFrom(fields, from, (int) change.getDuration().negated().toSeconds())) {
      return false;
    }
    switch (overlap) {
      case FIRST -> {} // what everybody expects needs no words
      case LAST -> remarks.append("; at the second of repeated times when clocks go back");
      case BOTH -> remarks.append("; twice when clocks go back");
    }
    return true;
  }

  /** True if a matching time of day lies in the stretch that begins at {@code from}. */
  private static boolean hasTimeFrom(CronFields fields, LocalTime from, int seconds) {
    for (int i = 0; i < Math.min(seconds, 86_400); i++) {
      int time = (from.toSecondOfDay() + i) % 86_400;
      long hour = fields.hour().bits() >>> (time / 3600);
      long minute = fields.minute().bits() >>> (time / 60 % 60);
      long second = fields.second().bits() >>> (time % 60);
      if ((hour & minute & second & 1) != 0) {
        return true;
      }
    }
    return false;
  }

  private static List<ZoneOffsetTransition> yearlyChanges(ZoneRules rules) {
    List<ZoneOffsetTransitionRule> yearly = rules.getTransitionRules();
    if (!yearly.isEmpty()) {
      return yearly.stream().map(rule -> rule.createTransition(SAMPLE_YEAR)).toList();
    }
    // Some zones, such as Africa/Casablanca, list their changes for many years instead.
    long from = LocalDateTime.of(SAMPLE_YEAR, 1, 1, 0, 0).toEpochSecond(ZoneOffset.UTC);
    return rules.getTransitions().stream()
        .filter(change -> change.toEpochSecond() >= from)
        .limit(4)
        .toList();
  }
}
