package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.duration;

import java.time.Duration;
import java.util.List;

/** What can be set about stored schedules. */
public final class ScheduleSettings {

  /** How often schedules are looked at. */
  public static final Setting<Duration> INTERVAL =
      duration(
          "monotick.schedules.interval",
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMinutes(1),
          "how often each replica looks for due schedules, if nothing wakes it before");

  /** All of them. */
  static final List<Setting<?>> ALL = List.of(INTERVAL);

  private ScheduleSettings() {}
}
