package dev.monotick.schedule;

import java.time.Instant;

/** Arithmetic at the ends of time. */
final class Instants {

  /** Schedules have no times before or after these. */
  static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");

  static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

  private Instants() {}

  /** Returns the nanosecond before, so that "strictly after" it includes {@code time}. */
  static Instant justBefore(Instant time) {
    return time.equals(Instant.MIN) ? time : time.minusNanos(1);
  }

  /** Returns the nearest time that calendars can still handle in every zone. */
  static Instant clamp(Instant time) {
    return time.isBefore(FIRST) ? FIRST : time.isAfter(LAST) ? LAST : time;
  }
}
