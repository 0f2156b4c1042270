/** A store in the memory of one JVM: for tests, and for services that run as a single process. */
@NullMarked
package dev.monotick.memory;

import org.jspecify.annotations.NullMarked;
