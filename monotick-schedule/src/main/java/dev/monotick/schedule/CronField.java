package dev.monotick.schedule;

import dev.monotick.schedule.internal.DayMatcher;
import dev.monotick.schedule.internal.YearSet;

/**
 * One parsed field.
 *
 * @param kind which field
 * @param text as written, in upper case
 * @param bits the plain values, bit v for value v; unused by the year
 * @param years the years; every year for other fields
 * @param star true if {@code *} or {@code ?} occurs: such a day field does not restrict
 * @param open true for {@code *}, a step to the end or the full range: no fixed times
 * @param hashed true if {@code H} occurs
 * @param days the values of day fields that depend on the month
 */
record CronField(
    CronFieldKind kind,
    String text,
    long bits,
    YearSet years,
    boolean star,
    boolean open,
    boolean hashed,
    SpecialDays days) {

  /** True if the field is written as {@code *} or {@code ?}. */
  boolean isAny() {
    return text.equals("*") || text.equals("?");
  }

  /**
   * What {@code L}, {@code W} and {@code #} ask for; the bits are those of {@link DayMatcher}.
   *
   * @param last {@code L-n}, or for the day of week {@code nL}
   * @param nearest {@code nW}
   * @param lastWeekday {@code L-nW}
   * @param nth {@code n#k}
   */
  record SpecialDays(long last, long nearest, long lastWeekday, long nth) {
    boolean isEmpty() {
      return (last | nearest | lastWeekday | nth) == 0;
    }
  }
}
