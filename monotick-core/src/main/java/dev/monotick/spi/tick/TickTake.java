package dev.monotick.spi.tick;

import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a tick that waits: one that was triggered, queued behind another, given back, or left by
 * a replica that is gone.
 *
 * @param claim identity of this claim; the same when it is sent again
 * @param tick the waiting tick
 * @param onOverlap {@link OverlapRule#ALLOW} to take it beside an open run; any other value waits
 * @param effect what becomes of the tick if the claiming replica dies
 * @param leader proof of leadership, null where the mode needs none
 * @param passedOver the cursor the caller saw when its catch-up policy passed the tick over: if it
 *     is still the same the tick is recorded as missed, unless its body may have been started
 *     before; null if the tick is wanted
 */
public record TickTake(
    TickClaimId claim,
    TickId tick,
    OverlapRule onOverlap,
    Effect effect,
    @Nullable LeaderProof leader,
    @Nullable Instant passedOver) {

  /** Returns a request for a tick that is wanted. */
  public static TickTake of(
      TickClaimId claim,
      TickId tick,
      OverlapRule onOverlap,
      Effect effect,
      @Nullable LeaderProof leader) {
    return new TickTake(claim, tick, onOverlap, effect, leader, null);
  }
}
