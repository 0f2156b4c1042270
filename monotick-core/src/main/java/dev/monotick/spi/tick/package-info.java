/** The ledger of ticks: claims, reports, rescue. */
@NullMarked
package dev.monotick.spi.tick;

import org.jspecify.annotations.NullMarked;
