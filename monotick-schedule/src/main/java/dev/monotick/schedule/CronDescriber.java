package dev.monotick.schedule;

import dev.monotick.schedule.internal.DayMatcher;
import dev.monotick.schedule.internal.Words;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says a cron expression in plain English. */
final class CronDescriber {

  private static final int MANY_TIMES = 6;
  private static final int WEEKDAYS = 0b0111110;
  private static final int WEEKEND = 0b1000001;
  private static final int WEEK = 0b1111111;

  private final CronFields fields;
  private final Cron cron;

  private CronDescriber(Cron cron, CronFields fields) {
    this.cron = cron;
    this.fields = fields;
  }

  static String describe(Cron cron, CronFields fields) {
    CronDescriber describer = new CronDescriber(cron, fields);
    StringBuilder text = new StringBuilder(describer.times());
    text.append(describer.days()).append(describer.months()).append(describer.years());
    text.append(", ")
        .append(cron.zone().equals(ZoneOffset.UTC) ? "UTC" : cron.zone().getId())
        .append(ClockChangeRemarks.of(cron, fields));
    return text.toString();
  }

  private String times() {
    long seconds = fields.second().bits();
    long minutes = fields.minute().bits();
    long hours = fields.hour().bits();
    int count = Long.bitCount(seconds) * Long.bitCount(minutes) * Long.bitCount(hours);
    if (count <= MANY_TIMES) {
      return "At " + Words.list(timesOfDay(), "and");
    }
    boolean allHours = Long.bitCount(hours) == 24;
    boolean allMinutes = Long.bitCount(minutes) == 60;
    int secondStep = step(seconds, 60);
    int minuteStep = step(minutes, 60);
    int hourStep = step(hours, 24);
    if (allHours && allMinutes && secondStep > 0) {
      return every(secondStep, "second");
    }
    if (seconds == 1 && allHours && minuteStep > 0) {
      return every(minuteStep, "minute");
    }
    if (seconds == 1 && minutes == 1 && hourStep > 0) {
      return every(hourStep, "hour");
    }
    return seconds(seconds, secondStep) + minutes(minutes, minuteStep) + hours(hours, hourStep);
  }

  private List<String> timesOfDay() {
    List<String> times = new ArrayList<>();
    for (long hours = fields.hour().bits(); hours != 0; hours &= hours - 1) {
      for (long minutes = fields.minute().bits(); minutes != 0; minutes &= minutes - 1) {
        for (long seconds = fields.second().bits(); seconds != 0; seconds &= seconds - 1) {
          // LocalTime leaves out seconds that are zero, which is what people expect.
          times.add(
              LocalTime.of(
                      Long.numberOfTrailingZeros(hours),
                      Long.numberOfTrailingZeros(minutes),
                      Long.numberOfTrailingZeros(seconds))
                  .toString());
        }
      }
    }
    return times;
  }

  private String seconds(long seconds, int step) {
    if (seconds == 1) {
      return "";
    }
    if (step > 0) {
      return every(step, "second") + ", ";
    }
    return "At second " + Words.values(seconds, Integer::toString) + ", ";
  }

  private String minutes(long minutes, int step) {
    boolean begins = fields.second().bits() == 1;
    if (Long.bitCount(minutes) == 60) {
      return begins ? "Every minute" : "every minute";
    }
    if (step > 0) {
      return begins ? every(step, "minute") : "in every " + Words.ordinal(step) + " minute";
    }
    String label = Long.bitCount(minutes) == 1 ? "minute " : "minutes ";
    return (begins ? "At " : "at ") + label + Words.values(minutes, Integer::toString);
  }

  private static String hours(long hours, int step) {
    if (Long.bitCount(hours) == 24) {
      return " of every hour";
    }
    if (step > 1) {
      return " of every " + Words.ordinal(step) + " hour";
    }
    int first = Long.numberOfTrailingZeros(hours);
    int last = 63 - Long.numberOfLeadingZeros(hours);
    if (Long.bitCount(hours) == last - first + 1) {
      return String.format(Locale.ROOT, " from %02d:00 to %02d:59", first, last);
    }
    return " in the hours " + Words.values(hours, Integer::toString);
  }

  private static String every(int step, String unit) {
    return step == 1 ? "Every " + unit : "Every " + step + " " + unit + "s";
  }

  /** Returns n if the bits are 0, n, 2n ... up to the end and n divides it; else 0. */
  private static int step(long bits, int size) {
    int count = Long.bitCount(bits);
    if (count < 2 || size % count != 0) {
      return 0;
    }
    int step = size / count;
    for (int value = 0; value < size; value += step) {
      if ((bits >>> value & 1) == 0) {
        return 0;
      }
    }
    return step;
  }

  private String days() {
    String ofMonth = dayOfMonth();
    String ofWeek = dayOfWeek();
    if (ofMonth.isEmpty() && ofWeek.isEmpty()) {
      boolean fixed = !fields.followsElapsedTime() && fields.month().isAny();
      return fixed ? " every day" : "";
    }
    if (ofMonth.isEmpty() || ofWeek.isEmpty()) {
      return " on " + ofMonth + ofWeek;
    }
    boolean either = fields.restrictsBothDays() && cron.days() == Cron.Days.OR;
    return either
        ? " on " + ofMonth + " or on " + ofWeek
        : " on " + ofMonth + ", but only on " + ofWeek;
  }

  private String dayOfMonth() {
    if (fields.dayOfMonth().bits() == DayMatcher.ALL_DAYS_OF_MONTH) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    long days = fields.dayOfMonth().bits();
    if (days != 0) {
      String label = Long.bitCount(days) == 1 ? "day " : "days ";
      parts.add(label + Words.values(days, Integer::toString));
    }
    CronField.SpecialDays special = fields.dayOfMonth().days();
    for (long left = special.last(); left != 0; left &= left - 1) {
      parts.add(lastDay(Long.numberOfTrailingZeros(left)));
    }
    for (long left = special.nearest(); left != 0; left &= left - 1) {
      parts.add("the weekday nearest to day " + Long.numberOfTrailingZeros(left));
    }
    for (long left = special.lastWeekday(); left != 0; left &= left - 1) {
      int before = Long.numberOfTrailingZeros(left);
      parts.add(before == 0 ? "the last weekday" : "the weekday nearest to " + lastDay(before));
    }
    return Words.list(parts, "and") + " of the month";
  }

  private static String lastDay(int before) {
    return switch (before) {
      case 0 -> "the last day";
      case 1 -> "the day before the last";
      default -> before + " days before the last day";
    };
  }

  private String dayOfWeek() {
    int days = (int) fields.dayOfWeek().bits();
    CronField.SpecialDays special = fields.dayOfWeek().days();
    if (days == WEEK) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    if (days == WEEKDAYS) {
      parts.add("weekdays");
    } else if (days == WEEKEND) {
      parts.add("weekends");
    } else if (days != 0) {
      parts.add(Words.values(days, CronDescriber::dayName));
    }
    for (long left = special.last(); left != 0; left &= left - 1) {
      parts.add("the last " + dayName(Long.numberOfTrailingZeros(left)) + " of the month");
    }
    for (long left = special.nth(); left != 0; left &= left - 1) {
      int bit = Long.numberOfTrailingZeros(left);
      parts.add("the " + Words.ordinal(bit / 7 + 1) + " " + dayName(bit % 7) + " of the month");
    }
    return Words.list(parts, "and");
  }

  private static String dayName(int day) {
    return java.time.DayOfWeek.of(day == 0 ? 7 : day)
        .getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  private String months() {
    if (Long.bitCount(fields.month().bits()) == 12) {
      return "";
    }
    return " in "
        + Words.values(
            fields.month().bits(),
            month -> java.time.Month.of(month).getDisplayName(TextStyle.FULL, Locale.ENGLISH));
  }

  private String years() {
    return fields.year().isAny() ? "" : ", years " + fields.year().text();
  }
}
