@NullMarked
package dev.monotick.server.execution;

import org.jspecify.annotations.NullMarked;
