package dev.monotick.schedule;

import dev.monotick.schedule.internal.Instants;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The nominal times of recurring work.
 *
 * <p>Nominal times are computed, never observed: the same schedule gives the same instants on every
 * replica and after every restart. Implementations are immutable, thread-safe and free of side
 * effects, give strictly increasing times at millisecond precision or coarser, and have an {@code
 * equals} and a {@code toString} by which two replicas can tell that they mean the same thing.
 */
public interface Schedule {

  /** Returns the first nominal time strictly after {@code after}, or empty if there is none. */
  Optional<Instant> next(Instant after);

  /** Returns the last nominal time strictly before {@code before}, or empty if there is none. */
  Optional<Instant> previous(Instant before);

  /**
   * Says what {@link #next} counts from. Only a fixed delay counts from the end of the last run.
   */
  default Anchor anchor() {
    return Anchor.NOMINAL;
  }

  /** Returns the very first nominal time, or empty if the schedule has no beginning. */
  default Optional<Instant> first() {
    return Optional.empty();
  }

  /** Returns the zone whose dates and hours the schedule means; UTC unless it has one. */
  default ZoneId zone() {
    return ZoneOffset.UTC;
  }

  /** Returns this schedule as the task of that name sees it; matters where times hash the name. */
  default Schedule forTask(String name) {
    return this;
  }

  /**
   * Returns up to {@code limit} nominal times from {@code from} (inclusive) to {@code to}
   * (exclusive). Empty for a fixed delay, whose times are not known in advance.
   */
  default List<Instant> between(Instant from, Instant to, int limit) {
    List<Instant> times = new ArrayList<>();
    Optional<Instant> time =
        anchor() == Anchor.NOMINAL ? next(Instants.justBefore(from)) : Optional.empty();
    while (times.size() < limit && time.isPresent() && time.get().isBefore(to)) {
      times.add(time.get());
      time = next(time.get());
    }
    return times;
  }

  /**
   * Counts the nominal times from {@code from} (inclusive) to {@code to} (exclusive). Cron and
   * intervals, also with bounds, a maximum or a calendar, are counted without walking them; a union
   * walks. Zero for a fixed delay.
   */
  default long count(Instant from, Instant to) {
    long count = 0;
    Optional<Instant> time =
        anchor() == Anchor.NOMINAL ? next(Instants.justBefore(from)) : Optional.empty();
    while (time.isPresent() && time.get().isBefore(to)) {
      count++;
      time = next(time.get());
    }
    return count;
  }

  /**
   * Returns up to {@code limit} times from {@code from} (inclusive) to {@code to} (exclusive) that
   * an {@linkplain #except exclusion calendar} took away. They are no nominal times: {@link #next},
   * {@link #between} and {@link #count} leave them out. They exist so that a ledger can say of a
   * time on which nothing ran that this was meant.
   */
  default List<Instant> excluded(Instant from, Instant to, int limit) {
    return List.of();
  }

  /** Says in plain English when this schedule fires. */
  String describe();

  /**
   * Returns this schedule without the times before {@code start}.
   *
   * @throws IllegalArgumentException if no time is left
   */
  default Schedule from(Instant start) {
    return new Bounded(this, start, null);
  }

  /**
   * Returns this schedule without {@code end} and the times after it.
   *
   * @throws IllegalArgumentException if no time is left
   */
  default Schedule until(Instant end) {
    return new Bounded(this, null, end);
  }

  /**
   * Returns the first {@code runs} times of this schedule, which must have a beginning: call {@link
   * #from} first. At most 10000.
   *
   * @throws IllegalArgumentException if it has no beginning, or is a fixed delay
   */
  default Schedule maximumRuns(int runs) {
    return new Limited(this, runs);
  }

  /** Returns a schedule with the times of this one and the other; a time of both is one tick. */
  default Schedule or(Schedule other) {
    return union(this, other);
  }

  /** Returns this schedule without the dates a calendar excludes, as dates in {@link #zone()}. */
  default Schedule except(ExclusionCalendar calendar) {
    return except(calendar, zone());
  }

  /**
   * Returns this schedule without the dates a calendar excludes, as dates in {@code zone}.
   *
   * @throws IllegalArgumentException if no time is left, or this is a fixed delay
   */
  default Schedule except(ExclusionCalendar calendar, ZoneId zone) {
    return new Excluding(this, calendar, zone);
  }

  /** Returns a schedule that fires at every whole multiple of {@code interval} since the epoch. */
  static Schedule every(Duration interval) {
    return Interval.of(interval, Duration.ZERO);
  }

  /**
   * Returns a schedule that fires {@code phase} after every whole multiple of {@code interval}
   * since the epoch.
   */
  static Schedule every(Duration interval, Duration phase) {
    return Interval.of(interval, phase);
  }

  /**
   * Returns the zone of an IANA id or an offset, for example {@code Europe/Berlin}.
   *
   * @throws ScheduleSyntaxException if there is no such zone; the message names the nearest one
   */
  static ZoneId zoneOf(String id) {
    return Zones.of(id);
  }

  /** Returns a schedule that fires {@code delay} after the end of the last run. */
  static Schedule fixedDelay(Duration delay) {
    return new FixedDelay(delay);
  }

  /** Returns a schedule that fires at that instant and never again. */
  static Schedule once(Instant time) {
    return new Once(time);
  }

  /**
   * Returns a schedule with the times of all the schedules; a time that several have is one tick.
   *
   * @throws IllegalArgumentException if there are none, or one is a fixed delay
   */
  static Schedule union(Schedule... schedules) {
    return ScheduleUnion.of(List.of(schedules));
  }

  /**
   * Reads a cron expression in UTC: 5 fields, 6 with seconds first, 7 with a year last, a macro
   * such as {@code @daily}, or {@code @every 90s}.
   *
   * @throws ScheduleSyntaxException if it can't be read, is ambiguous, or never fires
   */
  static Schedule cron(String expression) {
    return cron(expression, ZoneOffset.UTC);
  }

  /**
   * Reads a cron expression in a zone. {@code @every 90s} is an interval and needs none.
   *
   * @throws ScheduleSyntaxException if it can't be read, is ambiguous, or never fires
   */
  static Schedule cron(String expression, ZoneId zone) {
    return ScheduleText.isInterval(expression)
        ? ScheduleText.parse(expression)
        : Cron.of(expression).zone(zone);
  }

  /**
   * Reads what {@code toString} of a schedule wrote, for example {@code 30 2 * * MON-FRI;
   * zone=Europe/Berlin} or {@code @every 90s}. A calendar with a predicate can't be read back.
   *
   * @throws ScheduleSyntaxException if it can't be read, is ambiguous, or never fires
   */
  static Schedule parse(String text) {
    return ScheduleText.parse(text);
  }

  /** What the next nominal time is counted from. */
  enum Anchor {
    /** The nominal time before it: the schedule alone decides. */
    NOMINAL,
    /** The end of the last run, as the ledger stored it. */
    LAST_END
  }
}
