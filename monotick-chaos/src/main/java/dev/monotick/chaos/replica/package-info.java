/** A replica as a process of its own, with one task of each mode. */
@NullMarked
package dev.monotick.chaos.replica;

import org.jspecify.annotations.NullMarked;
