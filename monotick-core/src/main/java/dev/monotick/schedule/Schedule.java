package dev.monotick.schedule;

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

  /** Returns this schedule as the task of that name sees it; matters where times hash the name. */
  default Schedule forTask(String name) {
    return this;
  }

  /** Returns up to {@code limit} nominal times from {@code from} (inclusive) to {@code to}. */
  default List<Instant> between(Instant from, Instant to, int limit) {
    List<Instant> times = new ArrayList<>();
    Optional<Instant> time = next(from.minusNanos(1));
    while (times.size() < limit && time.isPresent() && time.get().isBefore(to)) {
      times.add(time.get());
      time = next(time.get());
    }
    return times;
  }

  /** Counts the nominal times from {@code from} (inclusive) to {@code to} (exclusive). */
  default long count(Instant from, Instant to) {
    long count = 0;
    Optional<Instant> time = next(from.minusNanos(1));
    while (time.isPresent() && time.get().isBefore(to)) {
      count++;
      time = next(time.get());
    }
    return count;
  }

  /** Says in plain English when this schedule fires. */
  String describe();

  /** Returns a schedule that fires at every whole multiple of {@code interval} since the epoch. */
  static Schedule every(Duration interval) {
    return Interval.of(interval, Duration.ZERO);
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
   * Reads a cron expression in a zone.
   *
   * @throws ScheduleSyntaxException if it can't be read, is ambiguous, or never fires
   */
  static Schedule cron(String expression, ZoneId zone) {
    return Cron.of(expression).zone(zone);
  }

  /** Returns a schedule that fires {@code delay} after the end of the last run. */
  static Schedule fixedDelay(Duration delay) {
    return new FixedDelay(delay);
  }

  /** What the next nominal time is counted from. */
  enum Anchor {
    /** The nominal time before it: the schedule alone decides. */
    NOMINAL,
    /** The end of the last run, as the ledger stored it. */
    LAST_END
  }
}
