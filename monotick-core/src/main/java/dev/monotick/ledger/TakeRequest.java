package dev.monotick.ledger;

import dev.monotick.task.Effect;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a tick that waits: one that was triggered, queued behind another, given back, or left by
 * a replica that is gone.
 *
 * @param claim identity of this claim; the same when it is sent again
 * @param tick the waiting tick
 * @param onOverlap {@link OnOverlap#ALLOW} to take it beside an open run; any other value waits
 * @param effect what becomes of the tick if the claiming replica dies
 * @param leader proof of leadership, null where the mode needs none
 */
public record TakeRequest(
    ClaimId claim, TickId tick, OnOverlap onOverlap, Effect effect, @Nullable LeaderProof leader) {}
