package dev.monotick.server.tenant;

import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.Setting;

/** What a tenant has only so much of. */
public enum Quota {
  /** Jobs that have not ended. */
  ACTIVE_JOBS("active_jobs", "activeJobs"),
  /** Jobs on record. */
  RETAINED_JOBS("retained_jobs", "retainedJobs"),
  /** Agents. */
  AGENTS("agents", "agents"),
  /** Schedules. */
  SCHEDULES("schedules", "schedules"),
  /** Jobs made since the full hour. */
  JOBS_PER_HOUR("jobs_per_hour", "jobsPerHour");

  private final String column;
  private final String field;

  Quota(String column, String field) {
    this.column = column;
    this.field = field;
  }

  String column() {
    return column;
  }

  /** Returns what requests and answers call it. */
  public String field() {
    return field;
  }

  Setting<Long> usual() {
    return switch (this) {
      case ACTIVE_JOBS -> JobSettings.ACTIVE_JOBS;
      case RETAINED_JOBS -> JobSettings.RETAINED_JOBS;
      case AGENTS -> JobSettings.AGENTS;
      case SCHEDULES -> JobSettings.SCHEDULES;
      case JOBS_PER_HOUR -> JobSettings.JOBS_PER_HOUR;
    };
  }
}
