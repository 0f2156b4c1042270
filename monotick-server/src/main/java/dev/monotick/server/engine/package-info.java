/** The Monotick engine inside the server: its tasks, its handlers, its life. */
@NullMarked
package dev.monotick.server.engine;

import org.jspecify.annotations.NullMarked;
