package dev.monotick.schedule;

import dev.monotick.schedule.internal.Instants;
import dev.monotick.schedule.internal.LocalTimes;
import dev.monotick.schedule.internal.Words;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Days on which a schedule does not fire: single dates, ranges, dates that come back every year,
 * weekdays, or whatever a predicate says. The calendar knows dates only; in which zone a date
 * begins and ends is up to {@link Schedule#except(ExclusionCalendar, ZoneId)}. Immutable and, if
 * its predicates are, thread-safe.
 */
public final class ExclusionCalendar {

  private static final String YEARLY = "/yearly";

  private static final Map<String, DayOfWeek> WEEKDAY_NAMES =
      Arrays.stream(DayOfWeek.values())
          .collect(Collectors.toUnmodifiableMap(ExclusionCalendar::shortName, day -> day));

  /** How many days in a row may be excluded before we say that all are. */
  private static final int PATIENCE = 4000;

  private final TreeSet<LocalDate> dates;
  private final List<DateRange> ranges;
  private final TreeSet<LocalDate> yearly;
  private final EnumSet<DayOfWeek> weekdays;
  private final Map<String, Predicate<LocalDate>> predicates;

  private ExclusionCalendar(
      Collection<LocalDate> dates,
      Collection<DateRange> ranges,
      Collection<LocalDate> yearly,
      Collection<DayOfWeek> weekdays,
      Map<String, Predicate<LocalDate>> predicates) {
    this.dates = new TreeSet<>(dates);
    this.ranges = ranges.stream().distinct().sorted().toList();
    this.yearly = new TreeSet<>(yearly);
    this.weekdays = EnumSet.noneOf(DayOfWeek.class);
    this.weekdays.addAll(weekdays);
    this.predicates = Map.copyOf(predicates);
    if (this.weekdays.size() == 7) {
      throw new IllegalArgumentException(
          "a calendar must leave at least one weekday, but excluded all seven");
    }
  }

  /** Returns a calendar that excludes those dates. */
  public static ExclusionCalendar dates(LocalDate... dates) {
    return new ExclusionCalendar(Arrays.asList(dates), List.of(), List.of(), List.of(), Map.of());
  }

  /** Returns a calendar that excludes the dates from {@code first} to {@code last}, inclusive. */
  public static ExclusionCalendar range(LocalDate first, LocalDate last) {
    return new ExclusionCalendar(
        List.of(), List.of(new DateRange(first, last)), List.of(), List.of(), Map.of());
  }

  /** Returns a calendar that excludes that date and the same day in every year after it. */
  public static ExclusionCalendar yearly(LocalDate first) {
    return new ExclusionCalendar(List.of(), List.of(), List.of(first), List.of(), Map.of());
  }

  /** Returns a calendar that excludes those days of the week. */
  public static ExclusionCalendar weekdays(DayOfWeek... weekdays) {
    return new ExclusionCalendar(
        List.of(), List.of(), List.of(), Arrays.asList(weekdays), Map.of());
  }

  /** Returns a calendar that leaves Monday to Friday; add holidays with {@link #plus}. */
  public static ExclusionCalendar businessDays() {
    return weekdays(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY);
  }

  /**
   * Returns a calendar that excludes the dates a predicate is true for. It must answer the same on
   * every replica. A schedule with it can be written down but not read back; two such calendars are
   * equal if their names and predicates are.
   *
   * @param name what the predicate is called in descriptions
   */
  public static ExclusionCalendar matching(String name, Predicate<LocalDate> predicate) {
    return new ExclusionCalendar(
        List.of(), List.of(), List.of(), List.of(), Map.of(name, predicate));
  }

  /**
   * Reads the all-day events of an iCalendar file.
   *
   * @throws IOException if the file can't be read
   * @throws ScheduleSyntaxException if an event is not a whole day or repeats in a way we do not
   *     know; the message names the line
   */
  public static ExclusionCalendar ics(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      return ics(reader);
    }
  }

  /**
   * Reads the all-day events of an iCalendar text; see {@link #ics(Path)}.
   *
   * @throws IOException if the reader can't be read
   */
  public static ExclusionCalendar ics(Reader reader) throws IOException {
    return IcsReader.read(reader);
  }

  /** Returns a calendar that excludes what this one or the other excludes. */
  public ExclusionCalendar plus(ExclusionCalendar other) {
    return union(List.of(this, other));
  }

  static ExclusionCalendar union(Collection<ExclusionCalendar> calendars) {
    Parts parts = new Parts();
    for (ExclusionCalendar calendar : calendars) {
      parts.dates.addAll(calendar.dates);
      parts.ranges.addAll(calendar.ranges);
      parts.yearly.addAll(calendar.yearly);
      parts.weekdays.addAll(calendar.weekdays);
      calendar.predicates.forEach(
          (name, predicate) -> {
            Predicate<LocalDate> known = parts.predicates.putIfAbsent(name, predicate);
            if (known != null && !known.equals(predicate)) {
              throw new IllegalArgumentException(
                  "two different predicates are called " + name + "; rename one");
            }
          });
    }
    return parts.build();
  }

  /** What a calendar is made of, while it is being put together. */
  private static final class Parts {
    final List<LocalDate> dates = new ArrayList<>();
    final List<DateRange> ranges = new ArrayList<>();
    final List<LocalDate> yearly = new ArrayList<>();
    final List<DayOfWeek> weekdays = new ArrayList<>();
    final Map<String, Predicate<LocalDate>> predicates = new HashMap<>();

    ExclusionCalendar build() {
      return new ExclusionCalendar(dates, ranges, yearly, weekdays, predicates);
    }
  }

  /** True if a schedule must not fire on that date. */
  public boolean excludes(LocalDate date) {
    if (weekdays.contains(date.getDayOfWeek()) || dates.contains(date)) {
      return true;
    }
    for (DateRange range : ranges) {
      if (range.contains(date)) {
        return true;
      }
    }
    for (LocalDate first : yearly) {
      if (!date.isBefore(first)
          && date.getDayOfMonth() == first.getDayOfMonth()
          && date.getMonth() == first.getMonth()) {
        return true;
      }
    }
    for (Predicate<LocalDate> predicate : predicates.values()) {
      if (predicate.test(date)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the nearest date after (step 1) or before (step -1) that is not excluded. */
  Optional<LocalDate> firstIncluded(LocalDate date, int step) {
    LocalDate candidate = date.plusDays(step);
    for (int tries = 0; tries < PATIENCE; ) {
      Optional<DateRange> range = rangeWith(candidate);
      if (range.isPresent()) {
        candidate = step > 0 ? range.get().last().plusDays(1) : range.get().first().minusDays(1);
      } else if (excludes(candidate)) {
        candidate = candidate.plusDays(step);
        tries++;
      } else {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private Optional<DateRange> rangeWith(LocalDate date) {
    return ranges.stream().filter(range -> range.contains(date)).findFirst();
  }

  /** Returns the first excluded date from {@code date} on that begins before {@code to}. */
  Optional<LocalDate> firstExcluded(LocalDate date, Instant to, ZoneId zone) {
    LocalDate last = LocalDate.ofInstant(Instants.clamp(to), zone);
    LocalDate candidate = date;
    while (!candidate.isAfter(last)) {
      if (excludes(candidate)) {
        return Optional.of(candidate);
      }
      candidate = candidate.plusDays(1);
    }
    return Optional.empty();
  }

  /** Says in plain English which days are excluded. */
  public String describe() {
    List<String> parts = new ArrayList<>();
    if (weekdays.equals(EnumSet.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY))) {
      parts.add("weekends");
    } else {
      weekdays.forEach(day -> parts.add(day.getDisplayName(TextStyle.FULL, Locale.ENGLISH)));
    }
    List<String> singles = new ArrayList<>();
    dates.forEach(date -> singles.add(date.toString()));
    ranges.forEach(range -> singles.add(range.first() + " to " + range.last()));
    yearly.forEach(
        date ->
            singles.add(
                date.getDayOfMonth()
                    + " "
                    + date.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH)));
    if (singles.size() > 6) {
      parts.add(singles.size() + " listed dates");
    } else {
      parts.addAll(singles);
    }
    predicates.keySet().stream().sorted().forEach(parts::add);
    return parts.isEmpty() ? "no day" : Words.list(parts, "and");
  }

  /** Reads what {@link #toString} wrote. */
  static ExclusionCalendar parse(String input, int start, int end) {
    Parts parts = new Parts();
    int at = start;
    while (at < end) {
      int comma = input.indexOf(',', at);
      int stop = comma < 0 || comma > end ? end : comma;
      item(input, at, stop, parts);
      at = stop + 1;
    }
    return parts.build();
  }

  private static void item(String input, int start, int end, Parts parts) {
    String text = input.substring(start, end).strip();
    int dots = text.indexOf("..");
    DayOfWeek weekday = WEEKDAY_NAMES.get(text.toUpperCase(Locale.ROOT));
    try {
      if (weekday != null) {
        parts.weekdays.add(weekday);
      } else if (dots >= 0) {
        LocalDate first = LocalDate.parse(text.substring(0, dots));
        parts.ranges.add(new DateRange(first, LocalDate.parse(text.substring(dots + 2))));
      } else if (text.endsWith(YEARLY)) {
        int length = text.length() - YEARLY.length();
        parts.yearly.add(LocalDate.parse(text.substring(0, length)));
      } else {
        parts.dates.add(LocalDate.parse(text));
      }
    } catch (DateTimeException bad) {
      ScheduleSyntaxException refusal =
          new ScheduleSyntaxException(
              input,
              "except",
              start,
              text.startsWith("matching ")
                  ? "a predicate is code and can't be read from text"
                  : "this names no excluded day",
              "except allows 2026-12-25, 2026-12-24..2027-01-01, 2026-12-25/yearly and MON-SUN"
                  + " names, separated by commas");
      refusal.initCause(bad);
      throw refusal;
    }
  }

  private static String shortName(DayOfWeek day) {
    return day.name().substring(0, 3);
  }

  @Override
  public String toString() {
    List<String> items = new ArrayList<>();
    weekdays.forEach(day -> items.add(shortName(day)));
    dates.forEach(date -> items.add(date.toString()));
    ranges.forEach(range -> items.add(range.first() + ".." + range.last()));
    yearly.forEach(date -> items.add(date + YEARLY));
    predicates.keySet().stream().sorted().forEach(name -> items.add("matching " + name));
    return items.stream().collect(Collectors.joining(","));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExclusionCalendar that
        && dates.equals(that.dates)
        && ranges.equals(that.ranges)
        && yearly.equals(that.yearly)
        && weekdays.equals(that.weekdays)
        && predicates.equals(that.predicates);
  }

  @Override
  public int hashCode() {
    return Objects.hash(dates, ranges, yearly, weekdays, predicates);
  }

  private record DateRange(LocalDate first, LocalDate last) implements Comparable<DateRange> {
    DateRange {
      if (last.isBefore(first) || first.getYear() < 0 || last.getYear() > LocalTimes.MAX_YEAR) {
        throw new IllegalArgumentException(
            "a range must end in the year 9999 at the latest and not before it begins, but was "
                + first
                + " to "
                + last);
      }
    }

    boolean contains(LocalDate date) {
      return !date.isBefore(first) && !date.isAfter(last);
    }

    @Override
    public int compareTo(DateRange other) {
      int byFirst = first.compareTo(other.first);
      return byFirst != 0 ? byFirst : last.compareTo(other.last);
    }
  }
}
