/** Calls to the store that are repeated until answered. */
@NullMarked
package dev.monotick.engine.send;

import org.jspecify.annotations.NullMarked;
