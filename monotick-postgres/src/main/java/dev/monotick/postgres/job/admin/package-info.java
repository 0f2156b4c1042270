/** Changes jobs and queues on request: cancel, approve, requeue, purge, pause, limit. */
@NullMarked
package dev.monotick.postgres.job.admin;

import org.jspecify.annotations.NullMarked;
