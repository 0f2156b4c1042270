package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.duration;
import static dev.monotick.server.setting.Kinds.limit;

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
          Duration.ofMinutes(1),
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
          "how often it is looked for approvals that others may give too, since nobody has");

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
          ESCALATION_INTERVAL);

  private JobSettings() {}
}
