/** Agents: processes elsewhere that pull jobs over REST, do them, and report back. */
@NullMarked
package dev.monotick.server.agent;

import org.jspecify.annotations.NullMarked;
