/** Leader election. */
@NullMarked
package dev.monotick.spi.leader;

import org.jspecify.annotations.NullMarked;
