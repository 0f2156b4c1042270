/** The agent that comes with Monotick: pulls jobs from a control plane and runs commands. */
@NullMarked
package dev.monotick.cli.agent;

import org.jspecify.annotations.NullMarked;
