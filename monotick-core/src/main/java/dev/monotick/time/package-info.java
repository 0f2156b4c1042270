/** The two clocks everything else is given: a wall clock for dates, a ticker for deadlines. */
@NullMarked
package dev.monotick.time;

import org.jspecify.annotations.NullMarked;
