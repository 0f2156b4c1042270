package dev.monotick.spi.tick;

import dev.monotick.tick.TickRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for ticks that nobody will run, where there is none to claim.
 *
 * @param seen what the caller knew when it decided; counts only if cursor and failures are the same
 * @param ranges the ticks after that cursor, oldest first; the cursor moves to the last of them
 * @param leader proof of leadership, null where the mode needs none
 */
public record TickAccount(
    SeriesState seen, List<TickRecord.Range> ranges, @Nullable LeaderProof leader) {

  /** Copies the gaps and refuses none. */
  public TickAccount {
    ranges = List.copyOf(ranges);
    if (ranges.isEmpty()) {
      throw new IllegalArgumentException("gaps must not be empty: there is nothing to account for");
    }
  }
}
