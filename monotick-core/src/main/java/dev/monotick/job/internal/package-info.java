/** Internal: what is decided about jobs the same way in every store. */
@NullMarked
package dev.monotick.job.internal;

import org.jspecify.annotations.NullMarked;
