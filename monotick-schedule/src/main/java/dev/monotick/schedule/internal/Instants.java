package dev.monotick.schedule.internal;

import java.time.Instant;

/** Arithmetic at the ends of time. */
public final class Instants {

  /** Schedules have no times before or after these. */
  public static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");

  public static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

  private Instants() {}

  /** Returns the nanosecond before, so that "strictly after" it includes {@code time}. */
  public static Instant justBefore(Instant time) {
    return time.equals(Instant.MIN) ? time : time.minusNanos(1);
  }

  /** Returns the nearest time that calendars can still handle in every zone. */
  public static Instant clamp(Instant time) {
    return time.isBefore(FIRST) ? FIRST : time.isAfter(LAST) ? LAST : time;
  }
}
