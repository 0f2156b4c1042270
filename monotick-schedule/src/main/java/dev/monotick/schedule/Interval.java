package dev.monotick.schedule;

import dev.monotick.schedule.internal.Instants;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A fixed rate, aligned to the epoch plus a phase and not to the start of a process: replicas that
 * start at different times agree on every tick. Times lie between the years 0 and 9999.
 *
 * @param interval the time between two ticks; whole milliseconds, at least one
 * @param phase how long after the whole multiples of the interval a tick is; shorter than it
 */
record Interval(Duration interval, Duration phase) implements Schedule {

  private static final Duration MINIMUM = Duration.ofMillis(1);
  private static final Duration MAXIMUM = Duration.ofDays(365_000);
  private static final long FIRST = Instants.FIRST.toEpochMilli();
  private static final long LAST = Instants.LAST.toEpochMilli();

  /** Refuses an interval below one millisecond and a phase outside of it. */
  Interval {
    if (interval.compareTo(MINIMUM) < 0
        || interval.compareTo(MAXIMUM) > 0
        || interval.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "interval must be a whole number of milliseconds, at least PT0.001S and at most "
              + MAXIMUM
              + ", but was "
              + interval
              + "; round it");
    }
    if (phase.isNegative() || phase.compareTo(interval) >= 0) {
      throw new IllegalArgumentException(
          "phase must be at least PT0S and shorter than the interval "
              + interval
              + ", but was "
              + phase
              + "; take the remainder of a division by the interval");
    }
    if (phase.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "phase must be a whole number of milliseconds, but was " + phase + "; round it");
    }
  }

  /** Returns an interval whose ticks are {@code phase} after the whole multiples of it. */
  static Interval of(Duration interval, Duration phase) {
    return new Interval(interval, phase);
  }

  @Override
  public Optional<Instant> next(Instant after) {
    // floor(after) to the millisecond: a tick exactly on "after" is not after it.
    return tick(Math.max(index(millis(after)), index(FIRST - 1)) + 1);
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    return tick(Math.min(ticksBefore(before), index(LAST)));
  }

  @Override
  public long count(Instant from, Instant to) {
    long before = Math.max(ticksBefore(from), index(FIRST - 1));
    return Math.max(0, Math.min(ticksBefore(to), index(LAST)) - before);
  }

  /** The index of the last tick before {@code time}. */
  private long ticksBefore(Instant time) {
    return index(millis(Instants.justBefore(time)));
  }

  private long index(long epochMilli) {
    return Math.floorDiv(epochMilli - phase.toMillis(), interval.toMillis());
  }

  private Optional<Instant> tick(long index) {
    long millis = index * interval.toMillis() + phase.toMillis();
    return millis < FIRST || millis > LAST
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(millis));
  }

  private static long millis(Instant time) {
    long limit = 2 * LAST / 1000;
    return time.getEpochSecond() > limit
        ? 2 * LAST
        : time.getEpochSecond() < -limit ? -2 * LAST : time.toEpochMilli();
  }

  @Override
  public String describe() {
    return "Every "
        + Durations.period(interval)
        + (phase.isZero() ? "" : ", shifted by " + Durations.words(phase));
  }

  /** Returns the text that {@link Schedule#parse} reads back. */
  @Override
  public String toString() {
    return "@every "
        + Durations.brief(interval)
        + (phase.isZero() ? "" : "; phase=" + Durations.brief(phase));
  }
}
