/** A network that can be broken between two processes. */
@NullMarked
package dev.monotick.chaos.network;

import org.jspecify.annotations.NullMarked;
