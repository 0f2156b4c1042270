package dev.monotick.server.setting;

import static dev.monotick.server.setting.Kinds.number;

import java.util.List;

/** What can be set about tenants, their quotas and their jobs. */
public final class JobSettings {

  /** How many jobs of a tenant may be under way. */
  public static final Setting<Integer> ACTIVE_JOBS =
      number("monotick.quota.active-jobs", 10, 0, 1_000_000_000, "active jobs of a tenant");

  /** All of them. */
  static final List<Setting<?>> ALL = List.of(ACTIVE_JOBS);

  private JobSettings() {}
}
