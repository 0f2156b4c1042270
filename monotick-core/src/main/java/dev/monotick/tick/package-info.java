/** The history of ticks: identity, outcome, and rows of the ledger. */
@NullMarked
package dev.monotick.tick;

import org.jspecify.annotations.NullMarked;
