/** Tests of traces. */
@NullMarked
package dev.monotick.server.trace;

import org.jspecify.annotations.NullMarked;
