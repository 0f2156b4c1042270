package dev.monotick.postgres.job.lane;

import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.JobIds;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * From which time on to look for jobs that became due. Those before left dead rows behind, as jobs
 * of a lane do; so their times count as numbers of a lane that no job has, whose position is saved
 * with those of the others. No job is given a due time in the past, so all that is true of numbers
 * is true of due times.
 *
 * <p>Thread-safe.
 */
public final class DueScan {

  /** The lane that stands for due times. */
  private static final int DUE = 0;

  /** Its position is saved after some looks, of which there is one a second. */
  private static final int WEIGHT = 500;

  /** What is between the watermark and the position is looked at by each look, if it is no more. */
  private static final long GAP = JobIds.span(Duration.ofSeconds(10).toMillis());

  private final ScanPositions positions;
  private final GapScan recent; // guarded by this
  private final GapScan all; // guarded by this

  /**
   * A look at due times that others pass over.
   *
   * @param to up to which number such looks go, this one or later ones
   * @param stableBelow below which number none can appear any more
   */
  record Sweep(GapScan.Range range, boolean isRecent, long to, long stableBelow) {

    long fromMicros() {
      return JobIds.micros(range.low());
    }

    long toMicros() {
      return JobIds.micros(range.high());
    }
  }

  DueScan(ScanPositions hints, long nowNanos) {
    this.positions = hints;
    this.recent = new GapScan(Duration.ofSeconds(1), nowNanos);
    this.all = new GapScan(Duration.ofSeconds(10), nowNanos);
  }

  /**
   * Returns from when on to look, in microseconds since 1970. Everything is looked at every now and
   * then if that is known to be cheap, so that nothing else needs to.
   */
  public synchronized long fromMicros(long nowNanos) {
    if (all.isDue(nowNanos) && all.isCheap()) {
      all.scannedAll(nowNanos);
      return 0;
    }
    return JobIds.micros(position());
  }

  /** Begins at the watermark, unless that is long ago. */
  private long position() {
    long hint = positions.position(DUE);
    long watermark = positions.watermark(DUE);
    return hint - watermark <= GAP ? watermark : hint;
  }

  /**
   * Takes in a look.
   *
   * @param fromMicros where it began
   * @param next when the next is due that it left; null if there is none
   * @param now when it ended
   * @param settledBefore what was settled before that look
   */
  public void scanned(long fromMicros, @Nullable Instant next, Instant now, long settledBefore) {
    long end = JobColumns.micros(next != null && next.isBefore(now) ? next : now);
    positions.claimed(DUE, JobIds.atMicros(fromMicros), JobIds.atMicros(end), settledBefore);
    positions.count(DUE, WEIGHT);
  }

  synchronized boolean isDue(long nowNanos) {
    return recent.isDue(nowNanos) || all.isDue(nowNanos);
  }

  /**
   * Returns what is to be looked at again now, null if nothing is.
   *
   * @param isIdle whether no claim was just made
   */
  synchronized @Nullable Sweep sweep(boolean isIdle, long nowNanos) {
    long watermark = positions.watermark(DUE);
    long to = position();
    if (!isIdle && recent.isDue(nowNanos)) {
      if (watermark < to) {
        return new Sweep(recent.piece(watermark, to), true, to, positions.stableBelow());
      }
      recent.scannedAll(nowNanos);
    }
    boolean isTime = isIdle ? all.isOverdue(nowNanos) : all.isDue(nowNanos);
    return isTime && to > 0
        ? new Sweep(all.piece(0, to), false, to, positions.stableBelow())
        : null;
  }

  /**
   * Takes in such a look.
   *
   * @param first the first that it left there; null if there is none
   */
  synchronized void swept(Sweep sweep, @Nullable Instant first, long tookNanos, long nowNanos) {
    GapScan.Range range = sweep.range();
    (sweep.isRecent() ? recent : all).scanned(range, sweep.to(), tookNanos, nowNanos);
    long upTo = first == null ? range.high() : JobIds.atMicros(JobColumns.micros(first));
    if (first != null) {
      positions.left(DUE, upTo);
    }
    positions.sawNothing(DUE, range.low(), upTo, sweep.stableBelow());
  }

  /** Takes in how long a look at everything took, of {@link #fromMicros}. */
  public synchronized void scannedAll(long tookNanos, long nowNanos) {
    all.scannedAll(tookNanos, nowNanos);
  }

  /** Takes in that such a look failed; the next one is smaller. */
  synchronized void failed(Sweep sweep, long tookNanos, long nowNanos) {
    (sweep.isRecent() ? recent : all).failed(sweep.range(), tookNanos, nowNanos);
  }
}
