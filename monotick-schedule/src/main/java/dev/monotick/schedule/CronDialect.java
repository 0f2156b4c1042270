package dev.monotick.schedule;

/** The ways to write a cron expression that we read. */
enum CronDialect {
  /** Ours: 5, 6 or 7 fields, weekdays from 0 = Sunday, everything there is. */
  STANDARD("standard"),
  /** As crontab(5) has it: 5 fields and no extensions. */
  UNIX("unix"),
  /** As Quartz has it: 6 or 7 fields, weekdays from 1 = Sunday, one of the day fields a ?. */
  QUARTZ("quartz");

  final String label;

  CronDialect(String label) {
    this.label = label;
  }
}
