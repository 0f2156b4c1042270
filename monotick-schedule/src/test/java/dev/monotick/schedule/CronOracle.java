package dev.monotick.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;

/** Looks at every single minute, or second, and asks whether it should fire: slow and obvious. */
final class CronOracle {

  private final RandomCron cron;
  private final ZoneRules rules;
  private final Cron.Gap gap;
  private final Cron.Overlap overlap;
  private final int step;

  private LocalDate lastDate = LocalDate.MIN;
  private boolean lastDateMatches;

  CronOracle(RandomCron cron, ZoneId zone, Cron.Gap gap, Cron.Overlap overlap, int step) {
    this.cron = cron;
    this.rules = zone.getRules();
    this.gap = gap;
    this.overlap = overlap;
    this.step = step;
  }

  List<Instant> fires(Instant from, Instant to) {
    List<Instant> fires = new ArrayList<>();
    for (Instant time = from; time.isBefore(to); time = time.plusSeconds(step)) {
      if (firesAt(time)) {
        fires.add(time);
      }
    }
    return fires;
  }

  private boolean firesAt(Instant time) {
    ZoneOffset offset = rules.getOffset(time);
    LocalDateTime local = LocalDateTime.ofEpochSecond(time.getEpochSecond(), 0, offset);
    if (matches(local) && (cron.elapsed || isChosen(local, offset))) {
      return true;
    }
    return !cron.elapsed && gap == Cron.Gap.RUN_AT_GAP_END && endsAGapThatMatches(local, offset);
  }

  private boolean isChosen(LocalDateTime local, ZoneOffset offset) {
    List<ZoneOffset> offsets = rules.getValidOffsets(local);
    return switch (overlap) {
      case FIRST -> offset.equals(offsets.get(0));
      case LAST -> offset.equals(offsets.get(offsets.size() - 1));
      case BOTH -> true;
    };
  }

  private boolean endsAGapThatMatches(LocalDateTime local, ZoneOffset offset) {
    ZoneOffsetTransition change = rules.getTransition(local.minusSeconds(1));
    if (change == null
        || !change.isGap()
        || !change.getDateTimeAfter().equals(local)
        || !change.getOffsetAfter().equals(offset)) {
      return false;
    }
    LocalDateTime missing = change.getDateTimeBefore();
    while (missing.isBefore(local)) {
      if (matches(missing)) {
        return true;
      }
      missing = missing.plusSeconds(step);
    }
    return false;
  }

  private boolean matches(LocalDateTime local) {
    LocalDate date = local.toLocalDate();
    if (!date.equals(lastDate)) {
      lastDate = date;
      lastDateMatches = cron.matchesDay(date);
    }
    return lastDateMatches && cron.matchesTime(local);
  }
}
