/** Maps jobs, runs, outcomes and counts to columns and statement parameters. */
@NullMarked
package dev.monotick.postgres.job.row;

import org.jspecify.annotations.NullMarked;
