/** Notifies replicas of new, changed and ended jobs. */
@NullMarked
package dev.monotick.postgres.job.notify;

import org.jspecify.annotations.NullMarked;
