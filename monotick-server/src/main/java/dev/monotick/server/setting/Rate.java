package dev.monotick.server.setting;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much of something may happen: in any stretch of time no more than the burst and what has come
 * in since at the rate. Written as {@code 100/s}, {@code 600/m burst 50}, or {@code unlimited}.
 *
 * @param count how many in a period; negative for unlimited
 * @param period the period
 * @param burst how many at once
 */
public record Rate(long count, Duration period, long burst) {

  /** As many as anybody likes. */
  public static final Rate UNLIMITED = new Rate(-1, Duration.ofSeconds(1), -1);

  private static final Pattern TEXT =
      Pattern.compile("(\\d{1,7})\\s*/\\s*(s|m|h|d)(?:\\s+burst\\s+(\\d{1,7}))?");

  /** Reads one; a burst that is not given is that of one period, but at most of ten seconds. */
  public static Rate parse(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.equals("unlimited")) {
      return UNLIMITED;
    }
    Matcher matcher = TEXT.matcher(lower);
    if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
      throw wrong(text);
    }
    long count = Long.parseLong(matcher.group(1));
    Duration period =
        switch (matcher.group(2)) {
          case "s" -> Duration.ofSeconds(1);
          case "m" -> Duration.ofMinutes(1);
          case "h" -> Duration.ofHours(1);
          default -> Duration.ofDays(1);
        };
    long burst =
        matcher.group(3) == null
            ? Math.max(1, count * Math.min(10, period.toSeconds()) / period.toSeconds())
            : Long.parseLong(matcher.group(3));
    if (burst == 0) {
      throw wrong(text);
    }
    return new Rate(count, period, burst);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "must be a rate such as 100/s, 600/m burst 50 or unlimited, but was \"" + text + "\"");
  }

  /** Says whether anything goes. */
  public boolean isUnlimited() {
    return count < 0;
  }

  /** Returns the time from one to the next, rounded up: so never more than it says. */
  public long nanosEach() {
    return (period.toNanos() + count - 1) / count;
  }
}
