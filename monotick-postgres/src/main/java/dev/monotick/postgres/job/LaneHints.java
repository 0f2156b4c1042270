package dev.monotick.postgres.job;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * From which number on a lane is to be looked at. Jobs are claimed from the lowest number on, so
 * what is below the last one claimed is dead rows, which the server would walk over with every
 * claim, the more the longer some old snapshot keeps them.
 *
 * <p>A number is made when a job is added, and may appear later, when its transaction commits,
 * below numbers that were claimed meanwhile. So the last {@link #RECENT_MILLIS} are always looked
 * at, and everything that is not <em>settled</em> every now and then: what was numbered before some
 * transaction got its number is settled once all transactions before that one have ended.
 * Transactions that add jobs have their number before the jobs get theirs. (What a snapshot calls
 * its xmax will not do for that: it is beyond the last that ended, and those that are open may be
 * beyond it.)
 *
 * <p>Not thread-safe.
 */
final class LaneHints {

  /** How old numbers are that are looked at anyway. */
  private static final long RECENT_MILLIS = 100;

  private final Map<Integer, Long> claimed = new HashMap<>();
  private long settled;
  private long now;
  private long notedId = -1;
  private long notedTransaction;

  /**
   * Takes in what a turn saw.
   *
   * @param before the number of a job that was made before the turn's transaction got its own
   * @param firstOpen all transactions before it have ended
   * @param transaction the number of the turn's transaction; null if it has none
   */
  void saw(long before, long firstOpen, @Nullable Long transaction) {
    if (before < now) {
      // The server's clock was set back: jobs get numbers again that were looked at before.
      settled = Math.min(settled, before);
      claimed.replaceAll((lane, id) -> Math.min(id, before));
      notedId = -1;
    }
    now = before;
    if (notedId >= 0 && firstOpen >= notedTransaction) {
      settled = Math.max(settled, notedId);
      notedId = -1;
    }
    if (notedId < 0 && transaction != null) {
      notedId = before;
      notedTransaction = transaction;
    }
  }

  /**
   * Takes in that jobs of the lane were claimed, that one as the last. Also if greater numbers were
   * claimed before: those that are left between the two came later, and wait.
   */
  void claimed(int lane, long id) {
    claimed.put(lane, id + 1);
  }

  /** Takes in that a job was found below the hint. */
  void found(int lane, long id) {
    claimed.merge(lane, id, Math::min);
  }

  /** Returns the number from which on to look for jobs of a lane. */
  long hint(int lane) {
    return Math.min(
        claimed.getOrDefault(lane, 0L), Math.max(settled, now - JobIds.span(RECENT_MILLIS)));
  }

  /** Returns the number below which no job can appear any more. */
  long settled() {
    return settled;
  }
}
