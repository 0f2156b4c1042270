/** Tests of the engine in the server. */
@NullMarked
package dev.monotick.server.engine;

import org.jspecify.annotations.NullMarked;
