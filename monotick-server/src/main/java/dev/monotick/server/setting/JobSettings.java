package dev.monotick.server.setting;

import static dev.monotick.server.setting.SettingParsers.duration;
import static dev.monotick.server.setting.SettingParsers.limit;

import java.time.Duration;
import java.util.List;

/** What can be set about tenants, their quotas and their jobs. */
public final class JobSettings {

  /** How many jobs of a tenant may be under way. */
  public static final Setting<Long> ACTIVE_JOBS =
      limit("monotick.quota.active-jobs", 10, "jobs of a tenant that have not ended");

  /** How many jobs of a tenant are kept. */
  public static final Setting<Long> RETAINED_JOBS =
      limit("monotick.quota.retained-jobs", 500, "jobs of a tenant on record");

  /** How many agents a tenant may have. */
  public static final Setting<Long> AGENTS =
      limit("monotick.quota.agents", 1_000, "agents of a tenant");

  /** How many schedules a tenant may have. */
  public static final Setting<Long> SCHEDULES =
      limit("monotick.quota.schedules", 100, "schedules of a tenant");

  /** How many queues a tenant may have; each costs every replica a little. */
  public static final Setting<Long> QUEUES =
      limit("monotick.quota.queues", 100, "queues a tenant may put jobs into");

  /** How many jobs a queue may have that nobody runs. */
  public static final Setting<Long> QUEUE_DEPTH =
      limit("monotick.quota.queue-depth", -1, "jobs of all tenants that may wait in a queue");

  /** How often jobs beyond the limit are forgotten. */
  public static final Setting<Duration> RETENTION_INTERVAL =
      duration(
          "monotick.job-retention.interval",
          Duration.ofSeconds(15),
          Duration.ofSeconds(1),
          Duration.ofDays(1),
          "how often finished jobs beyond a tenant's limit are forgotten");

  /** How long a job is kept after its end, whatever the limit. */
  public static final Setting<Duration> RETENTION_GRACE =
      duration(
          "monotick.job-retention.grace",
          Duration.ofMinutes(1),
          Duration.ZERO,
          Duration.ofDays(1),
          "how long a job is kept after its end, whatever the limit");

  /** How often it is looked for approvals that nobody gave in time. */
  public static final Setting<Duration> ESCALATION_INTERVAL =
      duration(
          "monotick.approvals.interval",
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          Duration.ofHours(1),
          "how often overdue approvals are escalated");

  /** How many jobs a tenant may make in an hour. */
  public static final Setting<Long> JOBS_PER_HOUR =
      limit(
          "monotick.quota.jobs-per-hour",
          -1,
          "jobs that a tenant may make from one full hour to the next");

  /** How often what happened to jobs is added up. */
  public static final Setting<Duration> STATISTICS_INTERVAL =
      duration(
          "monotick.statistics.interval",
          Duration.ofMinutes(1),
          Duration.ofSeconds(1),
          Duration.ofHours(1),
          "how often what happened to jobs is added to the sums of its minute, hour and day");

  /** How long sums of minutes are kept. */
  public static final Setting<Duration> STATISTICS_MINUTES =
      duration(
          "monotick.statistics.minutes",
          Duration.ofDays(2),
          Duration.ofMinutes(1),
          Duration.ofDays(366),
          "how long sums of each minute are kept");

  /** How long sums of hours are kept. */
  public static final Setting<Duration> STATISTICS_HOURS =
      duration(
          "monotick.statistics.hours",
          Duration.ofDays(60),
          Duration.ofHours(1),
          Duration.ofDays(3_660),
          "how long sums of each hour are kept");

  /** How long sums of days are kept. */
  public static final Setting<Duration> STATISTICS_DAYS =
      duration(
          "monotick.statistics.days",
          Duration.ofDays(1_100),
          Duration.ofDays(1),
          Duration.ofDays(36_600),
          "how long sums of each day are kept");

  /** How many dead letters of a tenant are too many. */
  public static final Setting<Long> ALERT_DEAD_LETTERS =
      limit(
          "monotick.alert.dead-letters",
          100,
          "dead letters of a tenant above which the scheduler's health says so");

  /** All of them. */
  static final List<Setting<?>> ALL =
      List.of(
          ACTIVE_JOBS,
          RETAINED_JOBS,
          AGENTS,
          SCHEDULES,
          QUEUES,
          QUEUE_DEPTH,
          RETENTION_INTERVAL,
          RETENTION_GRACE,
          ESCALATION_INTERVAL,
          JOBS_PER_HOUR,
          STATISTICS_INTERVAL,
          STATISTICS_MINUTES,
          STATISTICS_HOURS,
          STATISTICS_DAYS,
          ALERT_DEAD_LETTERS);

  private JobSettings() {}
}
