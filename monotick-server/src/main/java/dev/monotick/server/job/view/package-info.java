/** Shows jobs: lists, details and the reason for a job's current state. */
@NullMarked
package dev.monotick.server.job.view;

import org.jspecify.annotations.NullMarked;
