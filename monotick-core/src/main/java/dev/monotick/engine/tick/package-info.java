/** Planning, claiming and running ticks of tasks. */
@NullMarked
package dev.monotick.engine.tick;

import org.jspecify.annotations.NullMarked;
