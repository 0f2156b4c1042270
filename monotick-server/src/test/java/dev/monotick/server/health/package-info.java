/** Tests of how the server says how it is. */
@NullMarked
package dev.monotick.server.health;

import org.jspecify.annotations.NullMarked;
