/** Fetching, running and completing jobs. */
@NullMarked
package dev.monotick.engine.job;

import org.jspecify.annotations.NullMarked;
