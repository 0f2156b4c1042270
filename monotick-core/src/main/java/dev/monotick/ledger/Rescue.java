package dev.monotick.ledger;

import java.util.List;

/**
 * What a replica should see to besides its own ticks.
 *
 * @param settled ticks of replicas that are gone, which just got the outcome {@link
 *     Outcome#UNKNOWN}; each is told to one caller only
 * @param waiting ticks that may be taken now, oldest first
 * @param cancelled claims of the caller whose bodies somebody asked to cancel
 */
public record Rescue(List<TickRecord> settled, List<TickId> waiting, List<ClaimId> cancelled) {

  /** Copies the lists. */
  public Rescue {
    settled = List.copyOf(settled);
    waiting = List.copyOf(waiting);
    cancelled = List.copyOf(cancelled);
  }
}
