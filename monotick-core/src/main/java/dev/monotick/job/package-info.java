/** Jobs: queued work with attempts, run by whichever replica claims it. */
@NullMarked
package dev.monotick.job;

import org.jspecify.annotations.NullMarked;
