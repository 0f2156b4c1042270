package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.limit;

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

  /** All of them. */
  static final List<Setting<?>> ALL = List.of(ACTIVE_JOBS, RETAINED_JOBS, AGENTS, SCHEDULES);

  private JobSettings() {}
}
