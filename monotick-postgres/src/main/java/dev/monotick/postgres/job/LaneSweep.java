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
  private static final int SHARE = 20;

  private final long everyNanos;
  private long step = ALL;
  private long cursor;
  private long nextAt;

  /** A range of numbers, without its end. */
  record Range(long low, long high) {}

  /** Creates one whose first sweep is due after the given time. */
  LaneSweep(Duration every, long nowNanos) {
    this.everyNanos = every.toNanos();
    this.nextAt = nowNanos + everyNanos;
  }

  boolean isDue(long nowNanos) {
    return nowNanos - nextAt >= 0;
  }

  /** Says whether a whole sweep was a matter of a moment. */
  boolean isCheap() {
    return step == ALL;
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
    cursor = whole ? 0 : piece.high();
    nextAt = nowNanos + Math.max(SHARE * tookNanos, whole ? everyNanos : 0);
  }

  /** Has the next one be due at once. */
  void soon(long nowNanos) {
    nextAt = nowNanos;
  }

  /** Takes in that everything was looked at. */
  void lookedAtAll(long nowNanos) {
    cursor = 0;
    nextAt = nowNanos + everyNanos;
  }
}
