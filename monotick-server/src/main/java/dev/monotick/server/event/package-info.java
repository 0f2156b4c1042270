/** Tells those who listen what changes, as it happens. */
@NullMarked
package dev.monotick.server.event;

import org.jspecify.annotations.NullMarked;
