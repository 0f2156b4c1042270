/** Runs jobs on this replica: takes them, starts handlers, reports what became of them. */
@NullMarked
package dev.monotick.worker;

import org.jspecify.annotations.NullMarked;
