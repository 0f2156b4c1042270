/** Leadership terms: acquiring, renewing, releasing. */
@NullMarked
package dev.monotick.engine.leader;

import org.jspecify.annotations.NullMarked;
