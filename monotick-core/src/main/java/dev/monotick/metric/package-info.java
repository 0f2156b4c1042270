/** The seam through which the engine reports figures. */
@NullMarked
package dev.monotick.metric;

import org.jspecify.annotations.NullMarked;
