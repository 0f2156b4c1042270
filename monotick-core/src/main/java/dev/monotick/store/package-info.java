/** What a backend offers to the engine as a whole. */
@NullMarked
package dev.monotick.store;

import org.jspecify.annotations.NullMarked;
