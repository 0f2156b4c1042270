/** Cron expressions, intervals and calendars, with exact rules for daylight saving time. */
@SuppressWarnings(
    "module") // the modules that may see the internals are not there yet when this is compiled
module dev.monotick.schedule {
  requires static transitive org.jspecify;

  exports dev.monotick.schedule;
  exports dev.monotick.schedule.internal to
      dev.monotick.core;
}
