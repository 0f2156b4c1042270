/** Schedules: cron expressions, intervals, exclusion calendars, and their nominal times. */
@NullMarked
package dev.monotick.schedule;

import org.jspecify.annotations.NullMarked;
