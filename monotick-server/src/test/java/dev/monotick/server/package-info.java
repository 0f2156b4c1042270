@NullMarked
package dev.monotick.server;

import org.jspecify.annotations.NullMarked;
