package dev.monotick.internal.ledger;

import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a store has to keep of one row of the ledger. Of a row that is history, only what people
 * see matters any more.
 *
 * @param row what people see
 * @param effect what becomes of it if the claiming replica dies, null if it was never claimed
 * @param mayHaveBegun whether the body may have been started by a claim that is over
 * @param spent claims before the newest one
 * @param occupies whether it is claimed and its body has not ended
 * @param allowsOthers whether the claim lets runs of the task overlap
 * @param cancelAsked whether somebody asked the body to stop
 */
public record TickImage(
    TickRecord row,
    @Nullable Effect effect,
    boolean mayHaveBegun,
    List<TickClaimId> spent,
    boolean occupies,
    boolean allowsOthers,
    boolean cancelAsked) {

  /** Copies the claims. */
  public TickImage {
    spent = List.copyOf(spent);
  }

  /** Returns the image of a row that is history. */
  public static TickImage ofHistory(TickRecord row) {
    return new TickImage(row, null, false, List.of(), false, false, false);
  }

  /** Says whether the row neither waits nor occupies its task. */
  public boolean isHistory() {
    return row.status() == Status.ENDED && !occupies;
  }
}
