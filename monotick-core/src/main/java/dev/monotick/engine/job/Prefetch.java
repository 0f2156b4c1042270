package dev.monotick.engine.job;

/**
 * How many jobs to ask for: as many as there are free slots, and beyond them what is run in a
 * twentieth of a second at the pace of the last moments, so that handlers do not wait for the
 * store. Slow jobs are therefore not taken before there is a slot for them, and are left to
 * replicas that have one.
 */
final class Prefetch {

  /** The most jobs taken before there is a slot for them. */
  static final int MOST = 4_000;

  private static final double SECONDS_AHEAD = 0.05;
  private static final double WEIGHT_OF_NEWS = 0.4;

  /** What is reported in pieces, one right after the other, counts as one. */
  private static final long SOON_NANOS = 1_000_000;

  /** A pace that is older says nothing of the jobs that come now. */
  private static final long STALE_NANOS = 1_000_000_000;

  private final int concurrency;
  private double perSecond;
  private int untold;
  private long lastNanos;

  Prefetch(int concurrency, long nanos) {
    this.concurrency = concurrency;
    this.lastNanos = nanos;
  }

  /** Takes note that so many jobs ended since it was last told. */
  void ended(int jobs, long nanos) {
    untold += jobs;
    if (nanos - lastNanos < SOON_NANOS) {
      return;
    }
    double seconds = (nanos - lastNanos) / 1e9;
    lastNanos = nanos;
    perSecond += WEIGHT_OF_NEWS * (untold / seconds - perSecond);
    untold = 0;
  }

  /** Forgets the pace: what was taken ahead was not run in time. */
  void reset() {
    perSecond = 0;
  }

  /**
   * Returns how many more to ask for, given how many are here. Not before half of what is ahead is
   * used up: few large requests cost less than many small ones.
   */
  int room(int inHand, long nanos) {
    boolean stale = nanos - lastNanos > STALE_NANOS;
    int ahead = stale ? 0 : (int) Math.min(MOST, perSecond * SECONDS_AHEAD);
    int free = concurrency + ahead - inHand;
    return free < Math.max(1, ahead / 2) ? 0 : free;
  }
}
