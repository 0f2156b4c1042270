@NullMarked
package dev.monotick.server.statistics;

import org.jspecify.annotations.NullMarked;
