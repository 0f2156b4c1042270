/**
 * Internal: the steps that change a task and its ticks, the same in every store. A store makes each
 * of them atomic and keeps what comes out.
 */
@NullMarked
package dev.monotick.ledger.internal;

import org.jspecify.annotations.NullMarked;
