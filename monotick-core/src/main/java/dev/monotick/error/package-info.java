/** Exceptions thrown to callers; all extend SchedulerException. */
@NullMarked
package dev.monotick.error;

import org.jspecify.annotations.NullMarked;
