package dev.monotick.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A fixed rate, aligned to the epoch plus a phase and not to the start of a process: replicas that
 * start at different times agree on every tick.
 */
public record Interval(Duration interval, Duration phase) implements Schedule {

  private static final Duration MINIMUM = Duration.ofMillis(1);

  /** Refuses an interval below one millisecond and a phase outside of it. */
  public Interval {
    if (interval.compareTo(MINIMUM) < 0 || interval.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "interval must be a whole number of milliseconds and at least PT0.001S, but was "
              + interval
              + "; use a longer interval");
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
  public static Interval of(Duration interval, Duration phase) {
    return new Interval(interval, phase);
  }

  @Override
  public Optional<Instant> next(Instant after) {
    // floor(after) to the millisecond: a tick exactly on "after" is not after it.
    return Optional.of(tick(index(after.toEpochMilli()) + 1));
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    return Optional.of(tick(index(before.minusNanos(1).toEpochMilli())));
  }

  @Override
  public long count(Instant from, Instant to) {
    return Math.max(0, ticksBefore(to) - ticksBefore(from));
  }

  private long ticksBefore(Instant time) {
    return index(time.minusNanos(1).toEpochMilli());
  }

  private long index(long epochMilli) {
    return Math.floorDiv(epochMilli - phase.toMillis(), interval.toMillis());
  }

  private Instant tick(long index) {
    return Instant.ofEpochMilli(
        Math.addExact(Math.multiplyExact(index, interval.toMillis()), phase.toMillis()));
  }

  @Override
  public String describe() {
    return "Every " + interval + (phase.isZero() ? "" : ", " + phase + " after the whole multiple");
  }

  @Override
  public String toString() {
    return "every " + interval + (phase.isZero() ? "" : " phase " + phase);
  }
}
