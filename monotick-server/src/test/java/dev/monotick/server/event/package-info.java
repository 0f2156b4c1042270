/** Tests of events as they happen. */
@NullMarked
package dev.monotick.server.event;

import org.jspecify.annotations.NullMarked;
