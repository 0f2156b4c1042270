/** Real faults, done to real processes. */
@NullMarked
package dev.monotick.chaos.fault;

import org.jspecify.annotations.NullMarked;
