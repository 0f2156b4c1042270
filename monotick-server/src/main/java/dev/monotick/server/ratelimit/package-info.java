/** How many requests each key and tenant may send, counted over all replicas. */
@NullMarked
package dev.monotick.server.ratelimit;

import org.jspecify.annotations.NullMarked;
