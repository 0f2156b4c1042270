package dev.monotick.schedule;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * One single time.
 *
 * @param time the time; whole milliseconds
 */
record Once(Instant time) implements Schedule {

  Once {
    if (!time.truncatedTo(ChronoUnit.MILLIS).equals(time)) {
      throw new IllegalArgumentException(
          "time must be a whole number of milliseconds, but was " + time + "; truncate it");
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return time.isAfter(after) ? Optional.of(time) : Optional.empty();
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    return time.isBefore(before) ? Optional.of(time) : Optional.empty();
  }

  @Override
  public Optional<Instant> first() {
    return Optional.of(time);
  }

  @Override
  public String describe() {
    return "Once, at " + time;
  }

  @Override
  public String toString() {
    return "@at " + time;
  }
}
