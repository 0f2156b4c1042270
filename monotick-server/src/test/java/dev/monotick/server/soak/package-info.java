/** A proof with processes that are killed and frozen; run by scripts/soak-server. */
@NullMarked
package dev.monotick.server.soak;

import org.jspecify.annotations.NullMarked;
