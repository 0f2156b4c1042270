/** The outside world: a process that takes effects, and knows fences but no leases. */
@NullMarked
package dev.monotick.chaos.sink;

import org.jspecify.annotations.NullMarked;
