package dev.monotick.spi.tick;

import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one scheduled tick and accounts for all ticks before it, in one step.
 *
 * @param claim identity of this claim; the same when it is sent again
 * @param tick the scheduled tick, after {@code seen.cursor()}
 * @param seen what the caller knew when it decided; the claim counts only if cursor and failures
 *     are still the same
 * @param ranges the ticks between that cursor and this tick, oldest first
 * @param onOverlap what to do if a run of the task has not ended
 * @param effect what becomes of the tick if the claiming replica dies
 * @param leader proof of leadership, null where the mode needs none
 */
public record TickClaim(
    TickClaimId claim,
    TickId tick,
    SeriesState seen,
    List<TickRecord.Range> ranges,
    OverlapRule onOverlap,
    Effect effect,
    @Nullable LeaderProof leader) {

  /** Copies the gaps. */
  public TickClaim {
    ranges = List.copyOf(ranges);
  }
}
