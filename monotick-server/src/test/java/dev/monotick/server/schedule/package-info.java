@NullMarked
package dev.monotick.server.schedule;

import org.jspecify.annotations.NullMarked;
