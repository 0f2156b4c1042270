/**
 * The engine: an event loop that plans ticks, claims them, runs bodies and reports. Internal.
 *
 * <p>Everything here is confined to the loop of {@link dev.monotick.engine.thread.EngineThreads}
 * unless it says otherwise: no locks, and one order of events.
 */
@NullMarked
package dev.monotick.engine;

import org.jspecify.annotations.NullMarked;
