/** Metrics, events and logs of the engine. */
@NullMarked
package dev.monotick.engine.observe;

import org.jspecify.annotations.NullMarked;
