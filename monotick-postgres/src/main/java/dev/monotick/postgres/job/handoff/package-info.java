/** Hands a job directly to a waiting replica when the job is enqueued. */
@NullMarked
package dev.monotick.postgres.job.handoff;

import org.jspecify.annotations.NullMarked;
