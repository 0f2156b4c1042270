/** The entry point: {@link dev.monotick.Monotick} and its builder. */
@NullMarked
package dev.monotick;

import org.jspecify.annotations.NullMarked;
