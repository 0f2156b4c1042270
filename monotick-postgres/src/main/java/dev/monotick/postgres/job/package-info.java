/** Internal: jobs. */
@NullMarked
package dev.monotick.postgres.job;

import org.jspecify.annotations.NullMarked;
