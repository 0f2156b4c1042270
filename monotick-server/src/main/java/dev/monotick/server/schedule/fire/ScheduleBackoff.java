package dev.monotick.server.schedule.fire;

import dev.monotick.work.Backoff;
import java.time.Duration;
import java.util.UUID;

/** How long schedules are left alone that cannot do what they should. */
final class ScheduleBackoff {

  /** Room in a quota comes back by itself and soon, so this is short. */
  private static final Backoff REFUSED = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(60));

  /** How soon after a tenant is no longer suspended its schedules go on. */
  static final Duration SUSPENDED = Duration.ofSeconds(30);

  private static final Backoff FAILED = Backoff.ofDefaults();

  private ScheduleBackoff() {}

  static Duration afterRefusals(int inARow, UUID schedule) {
    return REFUSED.delay(inARow, schedule.hashCode() + (long) inARow);
  }

  static Duration afterFailures(int inARow, UUID schedule) {
    return FAILED.delay(inARow, schedule.hashCode() + (long) inARow);
  }
}
