@NullMarked
package dev.monotick.server.agent;

import org.jspecify.annotations.NullMarked;
