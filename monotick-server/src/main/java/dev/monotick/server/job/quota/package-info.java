/** Counts and limits the jobs that a tenant keeps. */
@NullMarked
package dev.monotick.server.job.quota;

import org.jspecify.annotations.NullMarked;
