/** Says how the server is: to whoever balances load, watches over it, or scales it. */
@NullMarked
package dev.monotick.server.health;

import org.jspecify.annotations.NullMarked;
