package dev.monotick.schedule;

import dev.monotick.schedule.internal.Instants;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A schedule without the days that a calendar excludes.
 *
 * @param dates the zone in which a date of the calendar begins and ends
 */
record Excluding(Schedule schedule, ExclusionCalendar calendar, ZoneId dates) implements Schedule {

  /** After so many excluded days on which the schedule would fire, we say that there is no more. */
  private static final int PATIENCE = 10_000;

  private static final Instant REFERENCE = Instant.parse("2000-01-01T00:00:00Z");

  Excluding {
    if (schedule.anchor() == Anchor.LAST_END) {
      throw new IllegalArgumentException(
          "an exclusion calendar needs times that can be computed, but "
              + schedule
              + " counts from the ends of runs; use an interval or cron");
    }
    Instant start = schedule.first().orElse(REFERENCE).minusNanos(1);
    if (next(schedule, calendar, dates, start).isEmpty()) {
      throw new IllegalArgumentException(
          "this never fires: the calendar " + calendar + " excludes every time of " + schedule);
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return next(schedule, calendar, dates, after);
  }

  private static Optional<Instant> next(
      Schedule schedule, ExclusionCalendar calendar, ZoneId zone, Instant after) {
    Optional<Instant> time = schedule.next(after);
    for (int tries = 0; time.isPresent() && tries < PATIENCE; tries++) {
      LocalDate date = LocalDate.ofInstant(time.get(), zone);
      if (!calendar.excludes(date)) {
        return time;
      }
      Optional<LocalDate> open = calendar.firstIncluded(date, 1);
      if (open.isEmpty()) {
        return Optional.empty();
      }
      time = schedule.next(open.get().atStartOfDay(zone).toInstant().minusNanos(1));
    }
    return Optional.empty();
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    Optional<Instant> time = schedule.previous(before);
    for (int tries = 0; time.isPresent() && tries < PATIENCE; tries++) {
      LocalDate date = LocalDate.ofInstant(time.get(), dates);
      if (!calendar.excludes(date)) {
        return time;
      }
      Optional<LocalDate> open = calendar.firstIncluded(date, -1);
      if (open.isEmpty()) {
        return Optional.empty();
      }
      time = schedule.previous(open.get().plusDays(1).atStartOfDay(dates).toInstant());
    }
    return Optional.empty();
  }

  @Override
  public List<Instant> excluded(Instant from, Instant to, int limit) {
    List<Instant> times = new ArrayList<>(schedule.excluded(from, to, limit));
    Optional<Instant> time = schedule.next(Instants.justBefore(from));
    int found = 0;
    while (found < limit && time.isPresent() && time.get().isBefore(to)) {
      LocalDate date = LocalDate.ofInstant(time.get(), dates);
      if (calendar.excludes(date)) {
        times.add(time.get());
        found++;
        time = schedule.next(time.get());
      } else {
        // Straight to the next excluded day: between two holidays may lie millions of ticks.
        Optional<LocalDate> closed = calendar.firstExcluded(date.plusDays(1), to, dates);
        time =
            closed.flatMap(day -> schedule.next(day.atStartOfDay(dates).toInstant().minusNanos(1)));
      }
    }
    return times.stream().sorted().limit(limit).toList();
  }

  @Override
  public long count(Instant from, Instant to) {
    return schedule.count(from, to) - countExcluded(from, to);
  }

  /** Day by day, so that the ticks themselves need not be walked. */
  private long countExcluded(Instant from, Instant to) {
    long count = 0;
    Instant start = from;
    while (start.isBefore(to)) {
      Optional<LocalDate> closed =
          calendar.firstExcluded(LocalDate.ofInstant(Instants.clamp(start), dates), to, dates);
      if (closed.isEmpty()) {
        break;
      }
      Instant begin = closed.get().atStartOfDay(dates).toInstant();
      Instant end = closed.get().plusDays(1).atStartOfDay(dates).toInstant();
      Instant low = begin.isBefore(start) ? start : begin;
      Instant high = end.isAfter(to) ? to : end;
      count += low.isBefore(high) ? schedule.count(low, high) : 0;
      start = end;
    }
    return count;
  }

  @Override
  public Optional<Instant> first() {
    return schedule.first().flatMap(first -> next(first.minusNanos(1)));
  }

  @Override
  public ZoneId zone() {
    return schedule.zone();
  }

  @Override
  public Schedule forTask(String name) {
    return new Excluding(schedule.forTask(name), calendar, dates);
  }

  @Override
  public String describe() {
    return schedule.describe() + "; not on " + calendar.describe();
  }

  @Override
  public String toString() {
    return ScheduleText.base(schedule) + "; except={" + calendar + "} in " + dates.getId();
  }
}
