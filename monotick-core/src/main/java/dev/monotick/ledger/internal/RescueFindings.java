package dev.monotick.ledger.internal;

import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what one call of rescue finds, task by task. Used by one thread. */
public final class RescueFindings {

  private final List<TickRecord> settled = new ArrayList<>();
  private final List<TickId> waiting = new ArrayList<>();
  private final List<ClaimId> cancelled = new ArrayList<>();
  private final List<Rescue.Held> held = new ArrayList<>();

  void settled(TickRecord row) {
    settled.add(row);
  }

  void waiting(TickId tick) {
    waiting.add(tick);
  }

  void cancelled(ClaimId claim) {
    cancelled.add(claim);
  }

  void held(ClaimId claim, TickId tick) {
    held.add(new Rescue.Held(claim, tick));
  }

  /** Returns what was found, what waits oldest first. */
  public Rescue toRescue() {
    waiting.sort(Comparator.comparing(TickId::nominal));
    return new Rescue(settled, waiting, cancelled, held);
  }
}
