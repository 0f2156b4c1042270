package dev.monotick.schedule;

import dev.monotick.schedule.internal.LocalTimes;
import java.util.List;
import java.util.Locale;

/** The fields of a cron expression: their bounds, their names, and what they allow. */
enum CronFieldKind {
  SECOND("second", 0, 59),
  MINUTE("minute", 0, 59),
  HOUR("hour", 0, 23),
  DAY_OF_MONTH("day-of-month", 1, 31),
  MONTH("month", 1, 12),
  /** 0 is Sunday inside; how it is written depends on the dialect. */
  DAY_OF_WEEK("day-of-week", 0, 6),
  YEAR("year", LocalTimes.FIRST_YEAR, LocalTimes.LAST_YEAR);

  private static final List<String> MONTHS =
      List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
  private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

  final String label;
  final int min;
  final int max;

  CronFieldKind(String label, int min, int max) {
    this.label = label;
    this.min = min;
    this.max = max;
  }

  int size() {
    return max - min + 1;
  }

  boolean isDay() {
    return this == DAY_OF_MONTH || this == DAY_OF_WEEK;
  }

  /** Returns the value of a three-letter name in any case, or -1. */
  int named(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return switch (this) {
      case MONTH -> MONTHS.indexOf(upper) < 0 ? -1 : MONTHS.indexOf(upper) + 1;
      case DAY_OF_WEEK -> DAYS.indexOf(upper);
      default -> -1;
    };
  }

  String allowed(CronDialect dialect) {
    String common = " * lists (1,2) ranges (1-2) steps (*/2)";
    String hash = dialect == CronDialect.STANDARD ? " H H(a-b)/n" : "";
    boolean plain = dialect == CronDialect.UNIX;
    return label
        + " allows "
        + switch (this) {
          case SECOND, MINUTE, HOUR -> min + "-" + max + common + hash;
          case DAY_OF_MONTH -> "1-31" + common + (plain ? "" : " ? L L-n LW nW") + hash;
          case MONTH -> "1-12 JAN-DEC" + common + hash;
          case DAY_OF_WEEK ->
              (dialect == CronDialect.QUARTZ ? "1-7 (1 = Sunday)" : "0-7 (0 and 7 = Sunday)")
                  + " SUN-SAT"
                  + common
                  + (plain ? "" : " ? nL n#k")
                  + hash;
          case YEAR -> min + "-" + max + common;
        };
  }
}
