/** What the engine tells its listeners. */
@NullMarked
package dev.monotick.event;

import org.jspecify.annotations.NullMarked;
