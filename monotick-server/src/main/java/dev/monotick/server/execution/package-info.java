/** How jobs of the control plane are run: by HTTP calls, by agents, by commands. */
@NullMarked
package dev.monotick.server.execution;

import org.jspecify.annotations.NullMarked;
