package dev.monotick.schedule;

import dev.monotick.schedule.internal.LocalTimes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the all-day events of an iCalendar text (RFC 5545) as excluded days: single days, spans of
 * days, and days that come back every year on the same date. Cancelled events are left out.
 * Anything that would have to be guessed at is refused: an event with a time of day, another rule
 * of recurrence.
 */
final class IcsReader {

  private static final int LAST_YEAR = LocalTimes.LAST_YEAR;
  private static final String ALLOWED =
      "allowed are all-day events, alone or with RRULE:FREQ=YEARLY (and COUNT or UNTIL)";

  private final Map<String, Line> event = new HashMap<>();
  private final Set<LocalDate> exceptions = new HashSet<>();
  private final List<ExclusionCalendar> found = new ArrayList<>();

  /** A property of an event: {@code NAME;PARAMETERS:VALUE}, and the line it begins on. */
  private record Line(int number, String text, String name, String value) {
    ScheduleSyntaxException refuse(String problem) {
      return new ScheduleSyntaxException(
          text, "line " + number, text.length() - value.length(), problem, ALLOWED);
    }
  }

  private IcsReader() {}

  static ExclusionCalendar read(Reader source) throws IOException {
    IcsReader reader = new IcsReader();
    boolean inEvent = false;
    boolean isCalendar = false;
    for (Line line : unfold(source)) {
      String marker = line.name() + ":" + line.value().strip().toUpperCase(Locale.ROOT);
      isCalendar |= marker.equals("BEGIN:VCALENDAR");
      if (marker.equals("BEGIN:VEVENT")) {
        inEvent = true;
        reader.event.clear();
        reader.exceptions.clear();
      } else if (marker.equals("END:VEVENT")) {
        inEvent = false;
        reader.endOfEvent(line);
      } else if (inEvent && line.name().equals("EXDATE")) {
        for (String value : line.value().split(",", -1)) {
          reader.exceptions.add(date(line, value));
        }
      } else if (inEvent) {
        reader.event.putIfAbsent(line.name(), line);
      }
    }
    if (!isCalendar) {
      throw new ScheduleSyntaxException(
          "", "line 1", 0, "this is no iCalendar file", "it must begin with BEGIN:VCALENDAR");
    }
    return ExclusionCalendar.union(reader.found);
  }

  /** A line that begins with a space or tab continues the one before it. */
  private static List<Line> unfold(Reader source) throws IOException {
    BufferedReader reader = new BufferedReader(source);
    List<Line> lines = new ArrayList<>();
    StringBuilder current = new StringBuilder();
    int startedAt = 0;
    int number = 0;
    String text = reader.readLine();
    while (text != null) {
      number++;
      if (text.startsWith(" ") || text.startsWith("\t")) {
        current.append(text, 1, text.length());
      } else {
        add(lines, startedAt, current.toString());
        current.setLength(0);
        current.append(text);
        startedAt = number;
      }
      text = reader.readLine();
    }
    add(lines, startedAt, current.toString());
    return lines;
  }

  private static void add(List<Line> lines, int number, String text) {
    int colon = text.indexOf(':');
    if (colon > 0) {
      int semicolon = text.indexOf(';');
      String name = text.substring(0, semicolon > 0 && semicolon < colon ? semicolon : colon);
      String clean = name.replace("\uFEFF", "").toUpperCase(Locale.ROOT);
      lines.add(new Line(number, text, clean, text.substring(colon + 1)));
    }
  }

  private void endOfEvent(Line end) {
    Line status = event.get("STATUS");
    if (status != null && status.value().strip().equalsIgnoreCase("CANCELLED")) {
      return;
    }
    Line start = event.get("DTSTART");
    if (start == null) {
      throw end.refuse("the event that ends here has no DTSTART");
    }
    LocalDate first = date(start, start.value());
    LocalDate last = lastDay(first);
    Line rule = event.get("RRULE");
    if (rule == null) {
      add(first, last);
    } else {
      repeat(rule, first, last);
    }
  }

  private LocalDate lastDay(LocalDate first) {
    Line end = event.get("DTEND");
    Line duration = event.get("DURATION");
    if (end != null) {
      LocalDate last = date(end, end.value()).minusDays(1); // DTEND is not part of the event
      return last.isBefore(first) ? first : last;
    }
    if (duration != null) {
      String value = duration.value().strip();
      boolean weeks = value.matches("P\\d{1,4}W");
      if (!weeks && !value.matches("P\\d{1,4}D")) {
        throw duration.refuse("an all-day event lasts whole days");
      }
      int amount = Integer.parseInt(value.substring(1, value.length() - 1));
      return first.plusDays(Math.max(1, weeks ? 7L * amount : amount) - 1);
    }
    return first;
  }

  private void repeat(Line rule, LocalDate first, LocalDate last) {
    int count = Integer.MAX_VALUE;
    LocalDate until = null;
    boolean yearly = false;
    for (String part : rule.value().strip().toUpperCase(Locale.ROOT).split(";", -1)) {
      switch (part) {
        case "FREQ=YEARLY" -> yearly = true;
        case "INTERVAL=1", "" -> {}
        default -> {
          if (part.startsWith("COUNT=") && part.matches("COUNT=\\d{1,4}")) {
            count = Integer.parseInt(part.substring("COUNT=".length()));
          } else if (part.startsWith("UNTIL=") && part.length() >= 14) {
            until = date(rule, part.substring("UNTIL=".length(), 14));
          } else if (!repeatsTheStart(part, first)) {
            throw rule.refuse(part + " is a way of repeating that we do not read");
          }
        }
      }
    }
    if (!yearly) {
      throw rule.refuse("only events that repeat every year are read");
    }
    if (count == Integer.MAX_VALUE && until == null && exceptions.isEmpty()) {
      for (LocalDate day = first; !day.isAfter(last); day = day.plusDays(1)) {
        found.add(ExclusionCalendar.yearly(day));
      }
    } else {
      addYears(first, last, count, until);
    }
  }

  /** A rule that only says again on which date the event began. */
  private static boolean repeatsTheStart(String part, LocalDate first) {
    return part.equals("BYMONTH=" + first.getMonthValue())
        || part.equals("BYMONTHDAY=" + first.getDayOfMonth())
        || part.startsWith("WKST=");
  }

  private void addYears(LocalDate first, LocalDate last, int count, @Nullable LocalDate until) {
    int seen = 0;
    for (int years = 0; first.getYear() + years <= LAST_YEAR && seen < count; years++) {
      LocalDate day = first.plusYears(years);
      if (until != null && day.isAfter(until)) {
        return;
      }
      if (day.getDayOfMonth() == first.getDayOfMonth()) { // 29 February in leap years only
        seen++;
        add(day, last.plusYears(years));
      }
    }
  }

  private void add(LocalDate first, LocalDate last) {
    if (!exceptions.contains(first)) {
      found.add(
          first.equals(last)
              ? ExclusionCalendar.dates(first)
              : ExclusionCalendar.range(first, last));
    }
  }

  private static LocalDate date(Line line, String value) {
    String text = value.strip();
    String day = text.endsWith("T000000") ? text.substring(0, text.length() - 7) : text;
    try {
      return LocalDate.parse(day, DateTimeFormatter.BASIC_ISO_DATE);
    } catch (DateTimeException bad) {
      ScheduleSyntaxException refusal =
          line.refuse(
              text.contains("T")
                  ? "an event with a time of day excludes no whole day"
                  : "this is no date");
      refusal.initCause(bad);
      throw refusal;
    }
  }
}
