/** Reads jobs and the condition of queues without changing them. */
@NullMarked
package dev.monotick.postgres.job.view;

import org.jspecify.annotations.NullMarked;
