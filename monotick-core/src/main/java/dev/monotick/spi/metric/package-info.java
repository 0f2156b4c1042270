/** The sink for metrics of this replica. */
@NullMarked
package dev.monotick.spi.metric;

import org.jspecify.annotations.NullMarked;
