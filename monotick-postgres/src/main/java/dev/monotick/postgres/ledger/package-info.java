/** Internal: the ledger of ticks. */
@NullMarked
package dev.monotick.postgres.ledger;

import org.jspecify.annotations.NullMarked;
