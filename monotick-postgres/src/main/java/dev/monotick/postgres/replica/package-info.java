/** Internal: the registry of replicas. */
@NullMarked
package dev.monotick.postgres.replica;

import org.jspecify.annotations.NullMarked;
