/** Tracks lanes: their rules, which of them have jobs, and where claims start to scan. */
@NullMarked
package dev.monotick.postgres.job.lane;

import org.jspecify.annotations.NullMarked;
