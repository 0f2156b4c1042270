package dev.monotick.schedule.internal;

/**
 * Dates of the proleptic Gregorian calendar as plain numbers, because {@link java.time.LocalDate}
 * would cost an object for every day looked at. A year is counted from 1 March inside, so that the
 * leap day comes last.
 */
final class CivilDate {

  private static final int DAYS_PER_ERA = 146_097; // 400 years
  private static final int EPOCH_OFFSET = 719_468; // from 0000-03-01 to 1970-01-01

  private CivilDate() {}

  /** Returns year, month and day packed by {@link #pack}. */
  static long of(int epochDay) {
    int z = epochDay + EPOCH_OFFSET;
    int era = Math.floorDiv(z, DAYS_PER_ERA);
    int dayOfEra = z - era * DAYS_PER_ERA;
    int yearOfEra =
        (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / (DAYS_PER_ERA - 1)) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int shifted = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * shifted + 2) / 5 + 1;
    int month = shifted < 10 ? shifted + 3 : shifted - 9;
    int year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    return pack(year, month, day);
  }

  static int toEpochDay(int year, int month, int day) {
    int y = month <= 2 ? year - 1 : year;
    int era = Math.floorDiv(y, 400);
    int yearOfEra = y - era * 400;
    int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * DAYS_PER_ERA + dayOfEra - EPOCH_OFFSET;
  }

  static long pack(int year, int month, int day) {
    return ((long) year << 16) | (month << 8) | day;
  }

  static int year(long date) {
    return (int) (date >> 16);
  }

  static int month(long date) {
    return (int) (date >> 8) & 0xff;
  }

  static int day(long date) {
    return (int) date & 0xff;
  }

  static boolean isLeap(int year) {
    return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  static int lengthOfMonth(int year, int month) {
    if (month == 2) {
      return isLeap(year) ? 29 : 28;
    }
    return 30 + ((month + (month >> 3)) & 1);
  }

  /** Returns 0 for Sunday to 6 for Saturday. */
  static int dayOfWeek(int epochDay) {
    return Math.floorMod(epochDay + 4, 7);
  }
}
