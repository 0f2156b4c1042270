@NullMarked
package dev.monotick.server.engine;

import org.jspecify.annotations.NullMarked;
