/** Java processes that can be talked to, stopped in their tracks, resumed and killed. */
@NullMarked
package dev.monotick.chaos.process;

import org.jspecify.annotations.NullMarked;
