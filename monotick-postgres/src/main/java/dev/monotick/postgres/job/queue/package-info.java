/** Enqueues, claims, completes and rescues jobs. */
@NullMarked
package dev.monotick.postgres.job.queue;

import org.jspecify.annotations.NullMarked;
