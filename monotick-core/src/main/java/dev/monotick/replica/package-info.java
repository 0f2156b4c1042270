/** The running processes that share a store, and the seam by which they see each other. */
@NullMarked
package dev.monotick.replica;

import org.jspecify.annotations.NullMarked;
