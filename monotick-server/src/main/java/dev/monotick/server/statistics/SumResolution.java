package dev.monotick.server.statistics;

import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.Setting;
import java.time.Duration;

/** How long the pieces of time are that sums are kept of. */
enum SumResolution {
  MINUTE(Duration.ofMinutes(1)),
  HOUR(Duration.ofHours(1)),
  DAY(Duration.ofDays(1));

  private final Duration length;

  SumResolution(Duration length) {
    this.length = length;
  }

  Duration length() {
    return length;
  }

  Setting<Duration> kept() {
    return switch (this) {
      case MINUTE -> JobSettings.STATISTICS_MINUTES;
      case HOUR -> JobSettings.STATISTICS_HOURS;
      case DAY -> JobSettings.STATISTICS_DAYS;
    };
  }

  /** Returns the coarsest that a step is made of. */
  static SumResolution of(Duration step) {
    if (step.toSeconds() % DAY.length.toSeconds() == 0) {
      return DAY;
    }
    return step.toSeconds() % HOUR.length.toSeconds() == 0 ? HOUR : MINUTE;
  }
}
