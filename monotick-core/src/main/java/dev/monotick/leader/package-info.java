/** Leadership: terms, fences, lease arithmetic, and the seam that election backends implement. */
@NullMarked
package dev.monotick.leader;

import org.jspecify.annotations.NullMarked;
