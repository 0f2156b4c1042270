/** Fires due schedules: plans ticks, enqueues their jobs and records the results. */
@NullMarked
package dev.monotick.server.schedule.fire;

import org.jspecify.annotations.NullMarked;
