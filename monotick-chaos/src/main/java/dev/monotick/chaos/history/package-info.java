/** What processes wrote down while they ran, on the one monotonic clock they share. */
@NullMarked
package dev.monotick.chaos.history;

import org.jspecify.annotations.NullMarked;
