package dev.monotick.server.setting;

import static dev.monotick.server.setting.SettingParsers.duration;
import static dev.monotick.server.setting.SettingParsers.number;

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
          "how often each replica polls for due schedules, unless notified earlier");

  /** How many are fired in one transaction. */
  public static final Setting<Integer> BATCH =
      number(
          "monotick.schedules.batch", 200, 1, 5_000, "schedules that are fired in one transaction");

  /** How often ends of jobs are looked for. */
  public static final Setting<Duration> RECONCILE_INTERVAL =
      duration(
          "monotick.schedules.reconcile-interval",
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMinutes(5),
          "how often the outcomes of jobs are recorded on their ticks");

  /** How long ticks are kept. */
  public static final Setting<Duration> RETENTION =
      duration(
          "monotick.schedules.retention",
          Duration.ofDays(30),
          Duration.ofSeconds(1),
          Duration.ofDays(3_650),
          "how long ticks are kept after they ended");

  /** How often old ticks are removed. */
  public static final Setting<Duration> RETENTION_INTERVAL =
      duration(
          "monotick.schedules.retention-interval",
          Duration.ofMinutes(10),
          Duration.ofSeconds(1),
          Duration.ofDays(1),
          "how often old ticks are removed");

  /** How much one request may make up for. */
  public static final Setting<Integer> BACKFILL_LIMIT =
      number("monotick.schedules.backfill-limit", 1_000, 1, 10_000, "most jobs of one backfill");

  /** All of them. */
  static final List<Setting<?>> ALL =
      List.of(INTERVAL, BATCH, RECONCILE_INTERVAL, RETENTION, RETENTION_INTERVAL, BACKFILL_LIMIT);

  private ScheduleSettings() {}
}
