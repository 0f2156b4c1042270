/** A server, a sink and replicas, and what can be done to them. */
@NullMarked
package dev.monotick.chaos.cluster;

import org.jspecify.annotations.NullMarked;
