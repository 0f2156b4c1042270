package dev.monotick.internal.ledger;

import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what one call of rescue finds, task by task. Used by one thread. */
public final class RescueFindings {

  private final List<TickRecord> unknown = new ArrayList<>();
  private final List<TickId> waiting = new ArrayList<>();
  private final List<TickClaimId> cancelled = new ArrayList<>();
  private final List<TickRescue.Held> held = new ArrayList<>();

  void unknown(TickRecord row) {
    unknown.add(row);
  }

  void waiting(TickId tick) {
    waiting.add(tick);
  }

  void cancelled(TickClaimId claim) {
    cancelled.add(claim);
  }

  void held(TickClaimId claim, TickId tick) {
    held.add(new TickRescue.Held(claim, tick));
  }

  /** Returns what was found, what waits oldest first. */
  public TickRescue toRescue() {
    waiting.sort(Comparator.comparing(TickId::nominal));
    return new TickRescue(unknown, waiting, cancelled, held);
  }
}
