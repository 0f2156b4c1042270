/** Clocks and tickers. */
@NullMarked
package dev.monotick.spi.time;

import org.jspecify.annotations.NullMarked;
