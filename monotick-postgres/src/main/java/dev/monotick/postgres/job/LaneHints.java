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
 * below numbers that were claimed meanwhile. It cannot any more once it is <em>settled</em>: what
 * was numbered before some transaction got its number is settled when all transactions before that
 * one have ended. Transactions that add jobs have their number before the jobs get theirs. (What a
 * snapshot calls its xmax will not do for that: it is beyond the last that ended, and those that
 * are open may be beyond it.)
 *
 * <p>That it cannot appear any more does not mean that it was taken. So each lane has a
 * <em>floor</em>, below which it has no jobs and will get none: it rises only by a look at the lane
 * that began at the floor or below, and only up to what was settled before that look. Between the
 * floor and the last number claimed, the last {@link #RECENT_MILLIS} are always looked at, and the
 * rest every now and then.
 *
 * <p>Not thread-safe.
 */
final class LaneHints {

  /** How old numbers are that are looked at anyway. */
  private static final long RECENT_MILLIS = 100;

  private final Map<Integer, Lane> lanes = new HashMap<>();
  private long settled;
  private long now;
  private long notedId = -1;
  private long notedTransaction;

  /** What is known of a lane. */
  private static final class Lane {

    /** No job is below it, or ever will be. */
    private long floor;

    /** Below it all that could be seen was claimed; not below the floor. */
    private long claimed;
  }

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
      settled = 0;
      lanes.clear();
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
   * Takes in that all jobs of a lane were claimed that could be seen from one number on, up to
   * another.
   *
   * @param from where the look began
   * @param upTo where it ended; that one is left out
   * @param settledBefore what was settled before that look
   */
  void claimed(int id, long from, long upTo, long settledBefore) {
    Lane lane = lane(id);
    // Others may have found something below that meanwhile, or may have left some of what they
    // found.
    if (from <= lane.claimed && upTo < Long.MAX_VALUE) {
      // Also if greater numbers were claimed before: what is left between the two came later.
      lane.claimed = upTo;
    }
    rise(lane, from, Math.min(upTo, settledBefore));
  }

  /** Takes in that nothing of a lane could be seen from one number on, up to another. */
  void sawNothing(int id, long from, long upTo, long settledBefore) {
    rise(lane(id), from, Math.min(upTo, settledBefore));
  }

  private static void rise(Lane lane, long from, long floor) {
    if (from <= lane.floor) {
      lane.floor = Math.max(lane.floor, floor);
      lane.claimed = Math.max(lane.claimed, lane.floor);
    }
  }

  /** Takes in that a job was found below the hint. */
  void found(int id, long job) {
    Lane lane = lane(id);
    lane.floor = Math.min(lane.floor, job);
    lane.claimed = Math.min(lane.claimed, job);
  }

  private Lane lane(int id) {
    return lanes.computeIfAbsent(id, any -> new Lane());
  }

  /** Returns the number from which on to look for jobs of a lane. */
  long hint(int id) {
    Lane lane = lane(id);
    return Math.max(lane.floor, Math.min(lane.claimed, now - JobIds.span(RECENT_MILLIS)));
  }

  /** Returns the number below which a lane has no job, and will have none. */
  long floor(int id) {
    return lane(id).floor;
  }

  /** Returns the number below which no job can appear any more. */
  long settled() {
    return settled;
  }
}
