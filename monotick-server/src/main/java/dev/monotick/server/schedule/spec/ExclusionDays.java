package dev.monotick.server.schedule.spec;

import dev.monotick.schedule.ExclusionCalendar;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads days that are excluded. */
final class ExclusionDays {

  private static final String YEARLY = "/yearly";

  private ExclusionDays() {}

  static ExclusionCalendar of(@Nullable String item) {
    String text = item == null ? "" : item.strip();
    try {
      int dots = text.indexOf("..");
      if (dots >= 0) {
        return ExclusionCalendar.range(
            LocalDate.parse(text.substring(0, dots)), LocalDate.parse(text.substring(dots + 2)));
      }
      if (text.endsWith(YEARLY)) {
        return ExclusionCalendar.yearly(
            LocalDate.parse(text.substring(0, text.length() - YEARLY.length())));
      }
      Optional<DayOfWeek> weekday = weekday(text);
      return weekday.isPresent()
          ? ExclusionCalendar.weekdays(weekday.get())
          : ExclusionCalendar.dates(LocalDate.parse(text));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" names no day; write 2026-12-25, 2026-12-24..2027-01-01, 2026-12-25/yearly or"
              + " SAT",
          e);
    }
  }

  private static Optional<DayOfWeek> weekday(String text) {
    String wanted = text.toUpperCase(Locale.ROOT);
    return Arrays.stream(DayOfWeek.values())
        .filter(day -> day.name().equals(wanted) || day.name().substring(0, 3).equals(wanted))
        .findFirst();
  }
}
