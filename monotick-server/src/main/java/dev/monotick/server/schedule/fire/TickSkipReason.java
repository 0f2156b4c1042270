package dev.monotick.server.schedule.fire;

import java.util.Locale;

/** Why a tick became no job. */
public enum TickSkipReason {
  /** The job of the tick before had not ended. */
  OVERLAP,
  /** The schedule was paused. */
  PAUSED,
  /** The schedule was disabled. */
  DISABLED,
  /** The schedule had failed, and was left alone for a while. */
  BACKOFF,
  /** The tenant had no room for another job. */
  QUOTA,
  /** The tenant is suspended. */
  SUSPENDED,
  /** Another job has the unique key. */
  DUPLICATE,
  /** Nobody was there in time. */
  MISSED;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What the ledger says of the tick. */
  String outcome() {
    return this == MISSED ? "MISSED" : "SKIPPED";
  }
}
