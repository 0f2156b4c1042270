package dev.monotick.schedule.internal;

import java.util.Objects;

/**
 * The local times a cron expression matches, as seconds since 1970-01-01T00:00 on a clock without a
 * zone. Sets of seconds, minutes, hours, months and years are bit masks. {@code ZonedTimes} turns
 * the result into instants.
 */
public final class LocalTimes {

  public static final long NONE = Long.MIN_VALUE;
  public static final int FIRST_YEAR = 1970;
  public static final int LAST_YEAR = 2199;

  /** Matching times lie in these years; beyond them a computation would say nothing of use. */
  static final int MIN_YEAR = 0;

  public static final int MAX_YEAR = 9999;

  private static final int DAY = 86_400;

  /** After so many years all dates fall on the same weekdays again. */
  private static final int GREGORIAN_CYCLE = 400;

  private final long seconds;
  private final long minutes;
  private final int hours;
  private final int months;
  private final DayMatcher days;

  private final YearSet years;

  private final int minYear;
  private final int maxYear;
  private final long minSecond;
  private final long maxSecond;
  private final boolean everyDay;
  private final int firstTime;
  private final int lastTime;

  /**
   * A day known to match. Racy on purpose: an int is never torn, any value ever written is right,
   * and a thread that misses a write only looks at the calendar again.
   */
  private int knownDay = Integer.MIN_VALUE;

  public LocalTimes(
      long seconds, long minutes, int hours, int months, DayMatcher days, YearSet years) {
    this.seconds = seconds;
    this.minutes = minutes;
    this.hours = hours;
    this.months = months;
    this.days = days;
    this.years = years;
    this.minYear = years.isEvery() ? MIN_YEAR : FIRST_YEAR;
    this.maxYear = years.isEvery() ? MAX_YEAR : LAST_YEAR;
    this.minSecond = CivilDate.toEpochDay(minYear, 1, 1) * (long) DAY;
    this.maxSecond = CivilDate.toEpochDay(maxYear + 1, 1, 1) * (long) DAY - 1;
    this.everyDay = days.isEveryDay() && months == 0x1ffe && years.isEvery();
    this.firstTime = time(lowest(hours), lowest(minutes), lowest(seconds));
    this.lastTime = time(highest(hours), highest(minutes), highest(seconds));
  }

  /** Returns the first match at or after {@code local}, or {@link #NONE}. */
  public long atOrAfter(long local) {
    long from = Math.max(local, minSecond);
    if (from > maxSecond) {
      return NONE;
    }
    int day = (int) Math.floorDiv(from, (long) DAY);
    if (matches(day)) {
      int time = timeAtOrAfter((int) (from - day * (long) DAY));
      if (time >= 0) {
        return day * (long) DAY + time;
      }
    }
    int next = dayAtOrAfter(day + 1);
    return next == Integer.MIN_VALUE ? NONE : next * (long) DAY + firstTime;
  }

  /** Returns the last match at or before {@code local}, or {@link #NONE}. */
  public long atOrBefore(long local) {
    long from = Math.min(local, maxSecond);
    if (from < minSecond) {
      return NONE;
    }
    int day = (int) Math.floorDiv(from, (long) DAY);
    if (matches(day)) {
      int time = timeAtOrBefore((int) (from - day * (long) DAY));
      if (time >= 0) {
        return day * (long) DAY + time;
      }
    }
    int previous = dayAtOrBefore(day - 1);
    return previous == Integer.MIN_VALUE ? NONE : previous * (long) DAY + lastTime;
  }

  /** Counts the matches from {@code from} (inclusive) to {@code to} (exclusive), month by month. */
  public long count(long from, long to) {
    long start = Math.max(from, minSecond);
    long end = Math.min(to, maxSecond + 1);
    if (start >= end) {
      return 0;
    }
    int firstDay = (int) Math.floorDiv(start, (long) DAY);
    int lastDay = (int) Math.floorDiv(end, (long) DAY);
    long perDay = timesBefore(DAY);
    long count = daysIn(firstDay, lastDay) * perDay;
    if (matches(firstDay)) {
      count -= timesBefore((int) (start - firstDay * (long) DAY));
    }
    int rest = (int) (end - lastDay * (long) DAY);
    if (rest > 0 && matches(lastDay)) {
      count += timesBefore(rest);
    }
    return count;
  }

  /** True if at least one date in the 400 years after which all dates repeat, or in the years. */
  public boolean isSatisfiable() {
    return years.isEvery()
        ? dayAtOrAfter(CivilDate.toEpochDay(2000, 1, 1)) != Integer.MIN_VALUE
        : dayAtOrAfter(CivilDate.toEpochDay(FIRST_YEAR, 1, 1)) != Integer.MIN_VALUE;
  }

  public boolean hasYears() {
    return !years.isEvery();
  }

  private boolean matches(int day) {
    if (everyDay || day == knownDay) {
      return true;
    }
    long date = CivilDate.of(day);
    if (!hasMonth(CivilDate.year(date), CivilDate.month(date))
        || (days.daysIn(CivilDate.year(date), CivilDate.month(date)) >>> CivilDate.day(date) & 1)
            == 0) {
      return false;
    }
    knownDay = day;
    return true;
  }

  private boolean hasMonth(int year, int month) {
    return (months >>> month & 1) != 0 && years.contains(year);
  }

  private int dayAtOrAfter(int from) {
    if (everyDay) {
      return from * (long) DAY > maxSecond ? Integer.MIN_VALUE : from;
    }
    long date = CivilDate.of(from);
    int year = CivilDate.year(date);
    int month = CivilDate.month(date);
    long allowed = -1L << CivilDate.day(date);
    int lastYear = Math.min(maxYear, year + GREGORIAN_CYCLE);
    while (year <= lastYear) {
      if (hasMonth(year, month)) {
        long match = days.daysIn(year, month) & allowed;
        if (match != 0) {
          int day = CivilDate.toEpochDay(year, month, Long.numberOfTrailingZeros(match));
          knownDay = day;
          return day;
        }
      }
      allowed = -1L;
      int later = month == 12 ? 0 : months & (-1 << (month + 1));
      if (later == 0 || !years.contains(year)) {
        year++;
        month = Integer.numberOfTrailingZeros(months);
      } else {
        month = Integer.numberOfTrailingZeros(later);
      }
    }
    return Integer.MIN_VALUE;
  }

  private int dayAtOrBefore(int from) {
    if (everyDay) {
      return from * (long) DAY < minSecond ? Integer.MIN_VALUE : from;
    }
    long date = CivilDate.of(from);
    int year = CivilDate.year(date);
    int month = CivilDate.month(date);
    long allowed = (1L << (CivilDate.day(date) + 1)) - 1;
    int firstYear = Math.max(minYear, year - GREGORIAN_CYCLE);
    while (year >= firstYear) {
      if (hasMonth(year, month)) {
        long match = days.daysIn(year, month) & allowed;
        if (match != 0) {
          int day = CivilDate.toEpochDay(year, month, 63 - Long.numberOfLeadingZeros(match));
          knownDay = day;
          return day;
        }
      }
      allowed = -1L;
      int earlier = months & ((1 << month) - 1);
      if (earlier == 0 || !years.contains(year)) {
        year--;
        month = 31 - Integer.numberOfLeadingZeros(months);
      } else {
        month = 31 - Integer.numberOfLeadingZeros(earlier);
      }
    }
    return Integer.MIN_VALUE;
  }

  private long daysIn(int from, int to) {
    if (everyDay) {
      return (long) to - from;
    }
    long count = 0;
    long date = CivilDate.of(from);
    int year = CivilDate.year(date);
    int month = CivilDate.month(date);
    int monthStart = CivilDate.toEpochDay(year, month, 1);
    while (monthStart < to) {
      int length = CivilDate.lengthOfMonth(year, month);
      if (hasMonth(year, month)) {
        long match = days.daysIn(year, month);
        if (monthStart < from) {
          match &= -1L << (from - monthStart + 1);
        }
        if (to - monthStart < length) {
          match &= (1L << (to - monthStart + 1)) - 1;
        }
        count += Long.bitCount(match);
      }
      monthStart += length;
      year = month == 12 ? year + 1 : year;
      month = month == 12 ? 1 : month + 1;
    }
    return count;
  }

  private int timeAtOrAfter(int from) {
    int hour = from / 3600;
    int minute = from / 60 % 60;
    if ((hours >>> hour & 1) != 0) {
      if ((minutes >>> minute & 1) != 0) {
        long later = seconds & (-1L << from % 60);
        if (later != 0) {
          return time(hour, minute, Long.numberOfTrailingZeros(later));
        }
      }
      long later = minute == 59 ? 0 : minutes & (-1L << (minute + 1));
      if (later != 0) {
        return time(hour, Long.numberOfTrailingZeros(later), lowest(seconds));
      }
    }
    int later = hours & (-1 << (hour + 1));
    return later == 0 ? -1 : time(lowest(later), lowest(minutes), lowest(seconds));
  }

  private int timeAtOrBefore(int from) {
    int hour = from / 3600;
    int minute = from / 60 % 60;
    if ((hours >>> hour & 1) != 0) {
      if ((minutes >>> minute & 1) != 0) {
        long earlier = seconds & ((2L << from % 60) - 1);
        if (earlier != 0) {
          return time(hour, minute, highest(earlier));
        }
      }
      long earlier = minutes & ((1L << minute) - 1);
      if (earlier != 0) {
        return time(hour, highest(earlier), highest(seconds));
      }
    }
    int earlier = hours & ((1 << hour) - 1);
    return earlier == 0 ? -1 : time(highest(earlier), highest(minutes), highest(seconds));
  }

  /** Counts the matching times of a day before {@code time}. */
  private long timesBefore(int time) {
    if (time == 0) {
      return 0;
    }
    int hour = time / 3600;
    int minute = time / 60 % 60;
    long perMinute = Long.bitCount(seconds);
    long perHour = Long.bitCount(minutes) * perMinute;
    int fullHours = hour >= 24 ? hours : hours & ((1 << hour) - 1);
    long count = Integer.bitCount(fullHours) * perHour;
    if (hour < 24 && (hours >>> hour & 1) != 0) {
      count += Long.bitCount(minutes & ((1L << minute) - 1)) * perMinute;
      if ((minutes >>> minute & 1) != 0) {
        count += Long.bitCount(seconds & ((1L << time % 60) - 1));
      }
    }
    return count;
  }

  private static int time(int hour, int minute, int second) {
    return hour * 3600 + minute * 60 + second;
  }

  private static int lowest(long mask) {
    return Long.numberOfTrailingZeros(mask);
  }

  private static int highest(long mask) {
    return 63 - Long.numberOfLeadingZeros(mask);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LocalTimes that
        && seconds == that.seconds
        && minutes == that.minutes
        && hours == that.hours
        && months == that.months
        && days.equals(that.days)
        && years.equals(that.years);
  }

  @Override
  public int hashCode() {
    return Objects.hash(seconds, minutes, hours, months, days, years);
  }
}
