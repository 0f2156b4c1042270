package dev.monotick.schedule.internal;

import java.util.BitSet;

/** The years a schedule is limited to, or all of them. Immutable once built. */
public final class YearSet {

  public static final YearSet EVERY = new YearSet(new BitSet());

  /** Bit y - 1970; empty stands for every year. */
  private final BitSet years;

  private final boolean every;

  private YearSet(BitSet years) {
    this.years = years;
    this.every = years.isEmpty();
  }

  /** Takes bit y - 1970 for year y; at least one. */
  public static YearSet of(BitSet years) {
    return new YearSet((BitSet) years.clone());
  }

  boolean isEvery() {
    return every;
  }

  boolean contains(int year) {
    return every || (year >= LocalTimes.FIRST_YEAR && years.get(year - LocalTimes.FIRST_YEAR));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof YearSet that && years.equals(that.years);
  }

  @Override
  public int hashCode() {
    return years.hashCode();
  }

  @Override
  public String toString() {
    return every ? "every year" : years.toString();
  }
}
