package dev.monotick.postgres.job.lane;

import dev.monotick.postgres.job.row.JobIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
 * <em>watermark</em>, below which it has no jobs and will get none: it rises only by a look at the
 * lane that began at the watermark or below, and only up to what was settled before that look.
 * Between the watermark and the last number claimed, the last {@link #RECENT_MILLIS} are always
 * looked at, and the rest every now and then.
 *
 * <p>Both are saved in the database every now and then, and read from there by a replica that
 * starts or reconnects.
 *
 * <p>Thread-safe.
 */
final class ScanPositions {

  /** How old numbers are that are looked at anyway. */
  private static final long RECENT_MILLIS = 100;

  /**
   * How far a lane is looked at again after the clock was set back. What was added in the time
   * until that is noticed is not older.
   */
  private static final long SET_BACK_MILLIS = Duration.ofMinutes(10).toMillis();

  /** Replies that overtake each other look like a clock that was set back by as much. */
  private static final long OVERTAKEN_MILLIS = Duration.ofSeconds(1).toMillis();

  /** A lane is saved after so many jobs, or after some jobs and so much time. */
  private static final int MANY_CLAIMED = 5_000;

  private static final long LONG_AGO_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long OFTEN_NANOS = Duration.ofSeconds(1).toNanos();

  /** Saving takes at most this part of the time. */
  private static final int SHARE = 20;

  // All that follows is guarded by this.
  private final Map<Integer, Lane> lanes = new HashMap<>();
  private long stableBelow;
  private long now;
  private long notedId = -1;
  private long notedTransaction;
  private long newest; // where lanes begin of which nothing is known
  private final long begunAt;
  private long timeline; // of the server that positions were inherited from
  private long saveAt;

  /** What is known of a lane. */
  private static final class Lane {

    /** No job is below it, or ever will be. */
    private long watermark;

    /** Below it all that could be seen was claimed; not below the watermark. */
    private long claimed;

    /** How many jobs were claimed since it was saved. */
    private int unsaved;

    private long savedAt;

    private void lower(long most) {
      watermark = Math.min(watermark, most);
      claimed = Math.min(claimed, most);
    }
  }

  /**
   * Where a lane is, as it is saved.
   *
   * @param watermark no job is below it, or ever will be
   * @param position where to begin
   * @param claimed how many jobs were claimed since the last time
   */
  record Saved(int lane, long watermark, long position, int claimed) {}

  ScanPositions(long nowNanos) {
    begunAt = nowNanos;
    saveAt = nowNanos + OFTEN_NANOS;
  }

  /**
   * What was saved, by whichever replica.
   *
   * @param timeline which history the server is in
   * @param nowId the number of a job made now
   */
  record Inherited(List<Saved> saved, long timeline, long nowId) {}

  /** Takes in what was saved, and goes on from there where that is further. */
  synchronized void inherit(Inherited inherited) {
    timeline = inherited.timeline();
    long nowId = inherited.nowId();
    now = Math.max(now, nowId);
    for (Saved each : inherited.saved()) {
      // If it was saved by a clock that was ahead, jobs get lower numbers now.
      long most = each.position() > nowId ? setBackTo(nowId, SET_BACK_MILLIS) : Long.MAX_VALUE;
      Lane lane = lane(each.lane());
      lane.watermark = Math.max(lane.watermark, Math.min(each.watermark(), most));
      lane.claimed =
          Math.max(Math.max(lane.claimed, lane.watermark), Math.min(each.position(), most));
    }
  }

  /**
   * Begins at the youngest jobs, also where older ones are: to find those takes longer than a claim
   * may take, and sweeps find them, too.
   */
  synchronized void skipAhead() {
    newest = Math.max(newest, now);
    for (Lane lane : lanes.values()) {
      lane.claimed = Math.max(lane.claimed, newest);
    }
  }

  /** Takes in that jobs of a lane were claimed. */
  synchronized void count(int id, int jobs) {
    lane(id).unsaved += jobs;
  }

  synchronized boolean isTimeToSave(long nowNanos) {
    return nowNanos - saveAt >= 0;
  }

  /** Returns the timeline of the server that positions were inherited from. */
  synchronized long timeline() {
    return timeline;
  }

  /** Returns the lanes to be saved now. */
  synchronized List<Saved> toSave(long nowNanos) {
    List<Saved> found = new ArrayList<>();
    if (!isTimeToSave(nowNanos)) {
      return found;
    }
    saveAt = nowNanos + OFTEN_NANOS;
    lanes.forEach(
        (id, lane) -> {
          long age = nowNanos - lane.savedAt;
          if (lane.unsaved > 0
              && age >= (lane.unsaved >= MANY_CLAIMED ? OFTEN_NANOS : LONG_AGO_NANOS)) {
            found.add(new Saved(id, lane.watermark, position(id), lane.unsaved));
          }
        });
    return found;
  }

  /** Returns all lanes that jobs were claimed of since they were saved. */
  synchronized List<Saved> unsaved() {
    List<Saved> found = new ArrayList<>();
    lanes.forEach(
        (id, lane) -> {
          if (lane.unsaved > 0) {
            found.add(new Saved(id, lane.watermark, position(id), lane.unsaved));
          }
        });
    return found;
  }

  /**
   * Takes in that lanes were saved.
   *
   * @param saved none if that failed
   * @param tookNanos how long it took
   */
  synchronized void saved(List<Saved> saved, long tookNanos, long nowNanos) {
    saveAt = nowNanos + Math.max(OFTEN_NANOS, SHARE * tookNanos);
    for (Saved each : saved) {
      Lane lane = lane(each.lane());
      lane.unsaved -= Math.min(lane.unsaved, each.claimed());
      lane.savedAt = nowNanos;
    }
  }

  /**
   * Takes in what a claim saw.
   *
   * @param before the number of a job that was made before the claim's transaction got its own
   * @param firstOpen all transactions before it have ended
   * @param transaction the number of the claim's transaction; null if it has none
   */
  synchronized void saw(long before, long firstOpen, @Nullable Long transaction) {
    if (before < now) {
      // The server's clock was set back: jobs get numbers again that were looked at before.
      boolean wasOvertaken = now - before <= JobIds.span(OVERTAKEN_MILLIS);
      long most = setBackTo(before, wasOvertaken ? OVERTAKEN_MILLIS : SET_BACK_MILLIS);
      stableBelow = Math.min(stableBelow, most);
      newest = Math.min(newest, most);
      lanes.values().forEach(lane -> lane.lower(most));
      notedId = -1;
    }
    now = before;
    if (notedId >= 0 && firstOpen >= notedTransaction) {
      stableBelow = Math.max(stableBelow, notedId);
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
  synchronized void claimed(int id, long from, long upTo, long settledBefore) {
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
  synchronized void sawNothing(int id, long from, long upTo, long settledBefore) {
    rise(lane(id), from, Math.min(upTo, settledBefore));
  }

  private static void rise(Lane lane, long from, long watermark) {
    if (from <= lane.watermark) {
      lane.watermark = Math.max(lane.watermark, watermark);
      lane.claimed = Math.max(lane.claimed, lane.watermark);
    }
  }

  /** Takes in that jobs were found below the hint, the first of which is that one. */
  synchronized void found(int id, long job) {
    Lane lane = lane(id);
    lane.watermark = Math.min(lane.watermark, job);
    lane.claimed = Math.min(lane.claimed, job);
  }

  /** Takes in that a job was found below the hint, and is left there for now. */
  synchronized void left(int id, long job) {
    Lane lane = lane(id);
    lane.watermark = Math.min(lane.watermark, job);
  }

  private static long setBackTo(long id, long millis) {
    return Math.max(0, id - JobIds.span(millis));
  }

  private Lane lane(int id) {
    Lane known = lanes.get(id);
    if (known == null) {
      known = new Lane();
      known.claimed = newest;
      known.savedAt = begunAt;
      lanes.put(id, known);
    }
    return known;
  }

  /** Returns the number from which on to look for jobs of a lane. */
  synchronized long position(int id) {
    Lane lane = lane(id);
    return Math.max(lane.watermark, Math.min(lane.claimed, now - JobIds.span(RECENT_MILLIS)));
  }

  /** Returns the number below which a lane has no job, and will have none. */
  synchronized long watermark(int id) {
    return lane(id).watermark;
  }

  /** Returns the number below which no job can appear any more. */
  synchronized long stableBelow() {
    return stableBelow;
  }
}
