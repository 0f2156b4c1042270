/** Membership: registry, leases, identities. */
@NullMarked
package dev.monotick.spi.replica;

import org.jspecify.annotations.NullMarked;
