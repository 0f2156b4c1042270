/** Tests of limits on requests. */
@NullMarked
package dev.monotick.server.ratelimit;

import org.jspecify.annotations.NullMarked;
