package dev.monotick;

import dev.monotick.ledger.TickId;
import java.util.List;

/**
 * How a stop went.
 *
 * @param stillRunning ticks whose bodies ignored their cancellation and still run; leadership was
 *     then not released but left to expire
 */
public record StopReport(List<TickId> stillRunning) {

  /** Copies the list. */
  public StopReport {
    stillRunning = List.copyOf(stillRunning);
  }

  /** Says whether everything ended. */
  public boolean isClean() {
    return stillRunning.isEmpty();
  }
}
