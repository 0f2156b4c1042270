package dev.monotick.engine;

import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.TickId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A tick that is this replica's.
 *
 * @param tick the tick
 * @param claim the claim under which it is
 * @param attempt which attempt at it, from 1
 * @param due when it was due, by the store's clock
 * @param authority on what it was claimed
 */
record Claimed(TickId tick, ClaimId claim, int attempt, Instant due, Authority authority) {

  /** Returns the term in which it was claimed, null unless the mode is LEADER. */
  @Nullable Term term() {
    return authority.term();
  }
}
