/** Jobs: how fast Monotick adds, takes and runs them, beside its peers and beside plain SQL. */
@NullMarked
package dev.monotick.bench.jobs;

import org.jspecify.annotations.NullMarked;
