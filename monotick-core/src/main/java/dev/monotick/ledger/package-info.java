/** The tick ledger: the record that makes a tick unique, and the seam that stores implement. */
@NullMarked
package dev.monotick.ledger;

import org.jspecify.annotations.NullMarked;
