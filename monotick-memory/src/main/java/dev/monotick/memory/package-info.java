/** A store in the memory of one process. */
@NullMarked
package dev.monotick.memory;

import org.jspecify.annotations.NullMarked;
