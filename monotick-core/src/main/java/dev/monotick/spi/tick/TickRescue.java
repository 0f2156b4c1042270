package dev.monotick.spi.tick;

import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import java.util.List;

/**
 * What a replica should see to besides its own ticks.
 *
 * @param unknown ticks of replicas that are gone, which just got the outcome {@link
 *     Outcome#UNKNOWN}; each is told to one caller only
 * @param waiting ticks that may be taken now, oldest first: of the scheduled ticks of a task only
 *     the oldest; none beside a run that has not ended, unless that was claimed with {@link
 *     OverlapRule#ALLOW}; and of a paused task only triggered ones
 * @param cancelled claims of the caller whose bodies somebody asked to cancel; each is told until
 *     its body ended
 * @param held ticks that run by claims of the caller; one it knows nothing of was granted to a
 *     request that arrived once more after its repetition had been answered, and is to be given
 *     back
 */
public record TickRescue(
    List<TickRecord> unknown, List<TickId> waiting, List<TickClaimId> cancelled, List<Held> held) {

  /**
   * A tick that runs.
   *
   * @param claim by which claim
   * @param tick the tick
   */
  public record Held(TickClaimId claim, TickId tick) {}

  /** Copies the lists. */
  public TickRescue {
    unknown = List.copyOf(unknown);
    waiting = List.copyOf(waiting);
    cancelled = List.copyOf(cancelled);
    held = List.copyOf(held);
  }
}
