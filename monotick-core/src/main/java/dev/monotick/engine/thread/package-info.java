/** Threads of the engine; the test kit replaces them. */
@NullMarked
package dev.monotick.engine.thread;

import org.jspecify.annotations.NullMarked;
