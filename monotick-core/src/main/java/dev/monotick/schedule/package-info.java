/** When work is due: schedules compute nominal times, the same on every replica. */
@NullMarked
package dev.monotick.schedule;

import org.jspecify.annotations.NullMarked;
