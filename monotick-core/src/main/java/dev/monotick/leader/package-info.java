/** Leadership: terms, fences, modes, and listeners. */
@NullMarked
package dev.monotick.leader;

import org.jspecify.annotations.NullMarked;
