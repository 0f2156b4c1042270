package dev.monotick.engine.tick;

import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.tick.TickId;
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
public record ClaimedTick(
    TickId tick, TickClaimId claim, int attempt, Instant due, RunAuthority authority) {

  /** Returns the term in which it was claimed, null unless the mode is LEADER. */
  @Nullable
  public HeldTerm term() {
    return authority.term();
  }
}
