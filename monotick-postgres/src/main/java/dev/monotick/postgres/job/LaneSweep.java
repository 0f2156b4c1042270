package dev.monotick.postgres.job;

import java.time.Duration;

/**
 * When to look again at numbers that the hints pass over, and at how many of them at once. Dead
 * rows make that slow while an old snapshot keeps them, so it is done piece by piece, each so large
 * that it takes a moment, and never more than a twentieth of the time.
 *
 * <p>Not thread-safe.
 */
final class LaneSweep {

  private static final long ALL = Long.MAX_VALUE;
  private static final long LEAST = JobIds.span(1);
  private static final long QUICK_NANOS = Duration.ofMillis(10).toNanos();
  private static final long SLOW_NANOS = Duration.ofMillis(50).toNanos();
  private static final long FIRST_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int SHARE = 20;

  /** A piece that was too large was so by an unknown factor. */
  private static final int MUCH_LESS = 64;

  private final long everyNanos;
  private long step = ALL;
  private long cursor;
  private long nextAt;
  private long restUntil; // or it would take more than its share
  private boolean isCheap; // the last look at everything was a matter of a moment

  /** A range of numbers, without its end. */
  record Range(long low, long high) {}

  /** Creates one whose first sweep is due soon. */
  LaneSweep(Duration every, long nowNanos) {
    this.everyNanos = every.toNanos();
    this.nextAt = nowNanos + Math.min(everyNanos, FIRST_NANOS);
    this.restUntil = nowNanos;
  }

  boolean isDue(long nowNanos) {
    return nowNanos - nextAt >= 0;
  }

  /** Returns whether a look at everything is known to be a matter of a moment. */
  boolean isCheap() {
    return isCheap;
  }

  /** Returns what to look at of that range. */
  Range piece(long from, long to) {
    long low = Math.max(cursor, from);
    return new Range(low, to - low <= step ? to : low + step);
  }

  /** Takes in how long a piece took. */
  void looked(Range piece, long to, long tookNanos, long nowNanos) {
    if (tookNanos > SLOW_NANOS) {
      step = Math.max(LEAST, (piece.high() - piece.low()) / 4);
    } else if (tookNanos < QUICK_NANOS) {
      step = step > ALL / 2 ? ALL : step * 2;
    }
    boolean whole = piece.high() >= to;
    isCheap = whole && cursor == 0 && tookNanos < QUICK_NANOS;
    cursor = whole ? 0 : piece.high();
    restUntil = nowNanos + SHARE * tookNanos;
    nextAt = whole ? nowNanos + Math.max(SHARE * tookNanos, everyNanos) : restUntil;
  }

  /** Takes in that a piece was not looked at to its end; it is tried again, and is smaller. */
  void failed(Range piece, long tookNanos, long nowNanos) {
    isCheap = false;
    step = Math.max(LEAST, (piece.high() - piece.low()) / MUCH_LESS);
    restUntil = nowNanos + SHARE * tookNanos;
    nextAt = restUntil;
  }

  /** Has the next one be due at once, or as soon as its share of the time allows. */
  void soon(long nowNanos) {
    long soonest = nowNanos - restUntil >= 0 ? nowNanos : restUntil;
    nextAt = nextAt - soonest < 0 ? nextAt : soonest;
  }

  /** Takes in that nothing is left to be looked at. */
  void lookedAtAll(long nowNanos) {
    cursor = 0;
    nextAt = nowNanos + everyNanos;
  }

  /** Takes in that everything was looked at together with something else, and how long it took. */
  void lookedAtAll(long tookNanos, long nowNanos) {
    lookedAtAll(nowNanos);
    isCheap = tookNanos < SLOW_NANOS;
  }
}
