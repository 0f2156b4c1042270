/**
 * Where the engine's code runs. Internal: exported to the test kit only, which replaces threads by
 * one queue in virtual time.
 */
@NullMarked
package dev.monotick.thread;

import org.jspecify.annotations.NullMarked;
