/** The running processes that share a store. */
@NullMarked
package dev.monotick.replica;

import org.jspecify.annotations.NullMarked;
