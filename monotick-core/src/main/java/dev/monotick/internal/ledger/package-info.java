/** The rules of the tick ledger, shared by all backends. */
@NullMarked
package dev.monotick.internal.ledger;

import org.jspecify.annotations.NullMarked;
