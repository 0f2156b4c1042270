package dev.monotick.schedule;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Durations as people write and say them: {@code 1h30m}, "90 minutes". */
final class Durations {

  private static final String ALLOWED =
      "a duration is written as 90s, 1h30m, 2d, 500ms or PT1M30S, with the largest unit first";

  private static final List<String> SHORT = List.of("d", "h", "m", "s", "ms");
  private static final List<String> LONG =
      List.of("day", "hour", "minute", "second", "millisecond");
  private static final List<Long> MILLIS = List.of(86_400_000L, 3_600_000L, 60_000L, 1000L, 1L);

  private Durations() {}

  /** Reads {@code 1h30m} or {@code PT1H30M}; the input around it is for the error message. */
  static Duration parse(String input, int start, int end) {
    String text = input.substring(start, end);
    if (text.length() > 40) {
      throw error(input, start, "this is too long for a duration");
    }
    if (text.toUpperCase(Locale.ROOT).startsWith("P")) {
      try {
        return Duration.parse(text);
      } catch (DateTimeException bad) {
        throw error(input, start, "this is no ISO-8601 duration");
      }
    }
    long total = 0;
    int unitsSeen = 0;
    int at = start;
    while (at < end) {
      int numberAt = at;
      while (at < end && isDigit(input.charAt(at))) {
        at++;
      }
      if (at == numberAt || at - numberAt > 12) {
        throw error(input, numberAt, at == numberAt ? "a number is missing" : "too many digits");
      }
      int unitAt = at;
      while (at < end && !isDigit(input.charAt(at))) {
        at++;
      }
      int unit = SHORT.indexOf(input.substring(unitAt, at).toLowerCase(Locale.ROOT));
      if (unit < unitsSeen) {
        throw error(input, unitAt, "a unit is missing, not known, or after a smaller one");
      }
      unitsSeen = unit + 1;
      total += Long.parseLong(input.substring(numberAt, unitAt)) * MILLIS.get(unit);
      if (total < 0 || total > 400_000L * 86_400_000L) {
        throw error(input, numberAt, "this is longer than a thousand years");
      }
    }
    if (unitsSeen == 0) {
      throw error(input, start, "a duration is missing");
    }
    return Duration.ofMillis(total);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static ScheduleSyntaxException error(String input, int position, String problem) {
    return new ScheduleSyntaxException(input, "duration", position, problem, ALLOWED);
  }

  /** Returns {@code 1h30m}; {@link #parse} reads it back. */
  static String brief(Duration duration) {
    StringBuilder text = new StringBuilder();
    long left = duration.toMillis();
    for (int unit = 0; unit < MILLIS.size(); unit++) {
      long amount = left / MILLIS.get(unit);
      left %= MILLIS.get(unit);
      if (amount > 0) {
        text.append(amount).append(SHORT.get(unit));
      }
    }
    return text.isEmpty() ? "0s" : text.toString();
  }

  /** Returns "90 minutes", "2 hours 5 minutes", "1 day": one unit where that reads well. */
  static String words(Duration duration) {
    long millis = duration.toMillis();
    for (int unit = 0; unit < MILLIS.size(); unit++) {
      long amount = millis / MILLIS.get(unit);
      boolean readsWell = amount > 0 && (amount < 120 || unit == 0);
      if (readsWell && millis % MILLIS.get(unit) == 0) {
        return amount(amount, unit);
      }
    }
    List<String> parts = new ArrayList<>();
    long left = millis;
    for (int unit = 0; unit < MILLIS.size(); unit++) {
      long amount = left / MILLIS.get(unit);
      left %= MILLIS.get(unit);
      if (amount > 0) {
        parts.add(amount(amount, unit));
      }
    }
    return parts.isEmpty() ? "0 seconds" : String.join(" ", parts);
  }

  /** Returns "minute" for one minute, else {@link #words}: what follows "every". */
  static String period(Duration duration) {
    String words = words(duration);
    return words.startsWith("1 ") && words.indexOf(' ', 2) < 0 ? words.substring(2) : words;
  }

  private static String amount(long amount, int unit) {
    return amount + " " + LONG.get(unit) + (amount == 1 ? "" : "s");
  }
}
