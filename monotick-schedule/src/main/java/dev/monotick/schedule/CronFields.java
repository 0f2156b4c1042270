package dev.monotick.schedule;

import dev.monotick.schedule.internal.DayMatcher;
import dev.monotick.schedule.internal.LocalTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A parsed cron expression, without a zone.
 *
 * @param text the expression in one spelling: upper case, single spaces, or the macro
 */
record CronFields(
    CronDialect dialect,
    String text,
    boolean hasSeconds,
    CronField second,
    CronField minute,
    CronField hour,
    CronField dayOfMonth,
    CronField month,
    CronField dayOfWeek,
    CronField year) {

  private static final int ALL_MONTHS = 0x1ffe;

  static CronFields of(CronDialect dialect, List<CronField> written) {
    List<CronField> all = new ArrayList<>(written);
    boolean hasSeconds = written.size() > 5;
    if (!hasSeconds) {
      all.add(0, new CronFieldParser("0", 0, 1, CronFieldKind.SECOND, dialect, "").parse());
    }
    if (all.size() == 6) {
      all.add(new CronFieldParser("*", 0, 1, CronFieldKind.YEAR, dialect, "").parse());
    }
    return new CronFields(
        dialect,
        written.stream().map(CronField::text).collect(Collectors.joining(" ")),
        hasSeconds,
        all.get(0),
        all.get(1),
        all.get(2),
        all.get(3),
        all.get(4),
        all.get(5),
        all.get(6));
  }

  /** Returns the same fields under the name of a macro. */
  CronFields named(String macro) {
    return new CronFields(
        dialect, macro, hasSeconds, second, minute, hour, dayOfMonth, month, dayOfWeek, year);
  }

  /** True if the schedule has no fixed times of day, and so follows elapsed time. */
  boolean followsElapsedTime() {
    return minute.open() || hour.open();
  }

  boolean isHashed() {
    return second.hashed()
        || minute.hashed()
        || hour.hashed()
        || dayOfMonth.hashed()
        || month.hashed()
        || dayOfWeek.hashed();
  }

  /** True if both day fields restrict, so that it matters how they are joined. */
  boolean restrictsBothDays() {
    return !dayOfMonth.star() && !dayOfWeek.star();
  }

  LocalTimes times(Cron.Days rule) {
    CronField.SpecialDays ofMonth = dayOfMonth.days();
    CronField.SpecialDays ofWeek = dayOfWeek.days();
    DayMatcher days =
        new DayMatcher(
            dayOfMonth.bits(),
            ofMonth.last(),
            ofMonth.nearest(),
            ofMonth.lastWeekday(),
            (int) dayOfWeek.bits(),
            (int) ofWeek.last(),
            ofWeek.nth(),
            rule == Cron.Days.OR && restrictsBothDays());
    return new LocalTimes(
        second.bits(),
        minute.bits(),
        (int) hour.bits(),
        (int) month.bits() & ALL_MONTHS,
        days,
        year.years());
  }

  String dayText() {
    String days =
        "day-of-month "
            + dayOfMonth.text()
            + ", month "
            + month.text()
            + ", day-of-week "
            + dayOfWeek.text();
    return year.isAny() ? days : days + ", year " + year.text();
  }
}
