/** Calendar and time-zone arithmetic behind schedules. */
@NullMarked
package dev.monotick.schedule.internal;

import org.jspecify.annotations.NullMarked;
