/** Policies that tasks and jobs share: effect, overlap, catch-up, backoff. */
@NullMarked
package dev.monotick.work;

import org.jspecify.annotations.NullMarked;
