/** Measures how long a takeover takes. */
@NullMarked
package dev.monotick.chaos.failover;

import org.jspecify.annotations.NullMarked;
