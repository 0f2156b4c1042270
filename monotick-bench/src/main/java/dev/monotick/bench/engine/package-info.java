/** How late and how heavy the engine is. */
@NullMarked
package dev.monotick.bench.engine;

import org.jspecify.annotations.NullMarked;
