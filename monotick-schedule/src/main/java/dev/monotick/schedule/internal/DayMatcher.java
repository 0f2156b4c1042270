package dev.monotick.schedule.internal;

/**
 * Which days of a month match the day-of-month and day-of-week fields, as a bit per day. A whole
 * month is answered at once: that makes finding, counting and walking backwards the same few
 * operations.
 *
 * @param daysOfMonth bit d for day d
 * @param lastDays bit n for {@code L-n}
 * @param nearestWeekdays bit d for {@code dW}
 * @param lastWeekdays bit n for {@code L-nW}
 * @param daysOfWeek bit 0 for Sunday to 6 for Saturday
 * @param lastDaysOfWeek the same, for {@code nL}
 * @param nthDaysOfWeek bit {@code 7 * (k - 1) + n} for {@code n#k}
 * @param either true if a day needs to match only one of the two fields
 */
public record DayMatcher(
    long daysOfMonth,
    long lastDays,
    long nearestWeekdays,
    long lastWeekdays,
    int daysOfWeek,
    int lastDaysOfWeek,
    long nthDaysOfWeek,
    boolean either) {

  private static final long FIVE_WEEKS = 1L | 1L << 7 | 1L << 14 | 1L << 21 | 1L << 28;
  private static final int WEEK = 0x7f;
  public static final long ALL_DAYS_OF_MONTH = 0xffff_fffeL;

  boolean isEveryDay() {
    boolean everyOfMonth = daysOfMonth == ALL_DAYS_OF_MONTH;
    boolean everyOfWeek = daysOfWeek == WEEK;
    return either ? everyOfMonth || everyOfWeek : everyOfMonth && everyOfWeek;
  }

  /** Returns bit d set for every matching day d of that month. */
  long daysIn(int year, int month) {
    int length = CivilDate.lengthOfMonth(year, month);
    long exists = (1L << (length + 1)) - 2;
    boolean needsWeek =
        daysOfWeek != WEEK || lastDaysOfWeek != 0 || nthDaysOfWeek != 0 || hasNearest();
    int first = needsWeek ? CivilDate.dayOfWeek(CivilDate.toEpochDay(year, month, 1)) : 0;
    long byMonth = byMonth(length, first);
    long byWeek = byWeek(length, first);
    return (either ? byMonth | byWeek : byMonth & byWeek) & exists;
  }

  private boolean hasNearest() {
    return (nearestWeekdays | lastWeekdays) != 0;
  }

  private long byMonth(int length, int first) {
    long days = daysOfMonth;
    for (long left = lastDays; left != 0; left &= left - 1) {
      int day = length - Long.numberOfTrailingZeros(left);
      days |= day >= 1 ? 1L << day : 0;
    }
    if (hasNearest()) {
      for (long left = nearestWeekdays; left != 0; left &= left - 1) {
        int day = Long.numberOfTrailingZeros(left);
        days |= day <= length ? 1L << nearestWeekday(day, length, first) : 0;
      }
      for (long left = lastWeekdays; left != 0; left &= left - 1) {
        int day = length - Long.numberOfTrailingZeros(left);
        days |= day >= 1 ? 1L << nearestWeekday(day, length, first) : 0;
      }
    }
    return days;
  }

  /** Monday to Friday nearest to {@code day}, never leaving the month. */
  private static int nearestWeekday(int day, int length, int first) {
    int dayOfWeek = (first + day - 1) % 7;
    if (dayOfWeek == 6) {
      return day == 1 ? 3 : day - 1;
    }
    if (dayOfWeek == 0) {
      return day == length ? day - 2 : day + 1;
    }
    return day;
  }

  private long byWeek(int length, int first) {
    if (daysOfWeek == WEEK) {
      return ALL_DAYS_OF_MONTH;
    }
    long days = rotate(daysOfWeek, first) * FIVE_WEEKS;
    if (lastDaysOfWeek != 0) {
      days |= rotate(lastDaysOfWeek, first) * FIVE_WEEKS & ((long) WEEK << (length - 7));
    }
    if (nthDaysOfWeek != 0) {
      for (int week = 0; week < 5; week++) {
        int nth = (int) (nthDaysOfWeek >>> (7 * week)) & WEEK;
        days |= rotate(nth, first) << (7 * week);
      }
    }
    return days << 1;
  }

  /** Turns bits counted from Sunday into bits counted from the weekday {@code first}. */
  private static long rotate(long week, int first) {
    return (week >>> first | week << (7 - first)) & WEEK;
  }
}
