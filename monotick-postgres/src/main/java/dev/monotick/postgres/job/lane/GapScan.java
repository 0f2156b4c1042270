package dev.monotick.postgres.job.lane;

import dev.monotick.postgres.job.row.JobIds;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * When to look again at numbers that the hints pass over, and at how many of them at once. Dead
 * rows make that slow while an old snapshot keeps them, so it is done piece by piece, each so large
 * that it takes a moment, and never more than a twentieth of the time.
 *
 * <p>Where there are very many lanes, a round consists of slices: some lanes each, one slice after
 * the other. The position among the numbers belongs to the slice, whose lanes stay the same until
 * the sweep comes to its end.
 *
 * <p>Not thread-safe.
 */
final class GapScan {

  private static final long ALL = Long.MAX_VALUE;
  private static final long LEAST = JobIds.span(1);
  private static final long QUICK_NANOS = Duration.ofMillis(10).toNanos();
  private static final long SLOW_NANOS = Duration.ofMillis(50).toNanos();
  private static final long FIRST_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int SHARE = 20;

  /** How many lanes one statement looks at. */
  private static final int SLICE = 256;

  private static final long GRACE_NANOS = Duration.ofSeconds(1).toNanos();

  /** A piece that was too large was so by an unknown factor. */
  private static final int MUCH_LESS = 64;

  private final long everyNanos;
  private long step = ALL;
  private long cursor;
  private long nextAt;
  private long restUntil; // or it would take more than its share

  /**
   * What any request takes, however little it looks at: a distant or busy server. Smaller pieces do
   * not help against that, so only what exceeds it makes them smaller.
   */
  private long leastNanos = ALL;

  private boolean isCheap; // the last look at everything was a matter of a moment
  private long roundNanos; // how long the round took so far, at least
  private List<Integer> slice = List.of(); // none if the next one was not chosen yet
  private int lastLane = Integer.MIN_VALUE; // of the slices that were finished in this round

  /** A range of numbers, without its end. */
  record Range(long low, long high) {}

  /** Creates one whose first sweep is due soon. */
  GapScan(Duration every, long nowNanos) {
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

  /**
   * Returns the lanes to look at: those of the slice that is not finished, or those that follow.
   *
   * @param lanes all lanes in which jobs may be passed over, in any order
   * @return none if the round is finished
   */
  List<Integer> slice(Supplier<Stream<Integer>> lanes) {
    if (slice.isEmpty()) {
      slice = lanes.get().filter(lane -> lane > lastLane).sorted().limit(SLICE).toList();
    }
    return slice;
  }

  /** Returns whether these are the lanes that are looked at; a claim may have ended the round. */
  boolean isAt(List<Integer> lanes) {
    return slice.equals(lanes);
  }

  /** Takes in that nothing is left to be looked at in these lanes. */
  void finishSlice(long nowNanos) {
    boolean isLast = slice.size() < SLICE;
    lastLane = slice.isEmpty() ? lastLane : slice.get(slice.size() - 1);
    slice = List.of();
    cursor = 0;
    if (isLast) {
      isCheap = roundNanos < QUICK_NANOS;
      endRound(nowNanos);
    }
  }

  /** Returns whether a round has begun: its next piece is due when its share of the time allows. */
  boolean isUnderWay() {
    return !slice.isEmpty() || lastLane != Integer.MIN_VALUE;
  }

  /**
   * Returns whether to look without a claim. Claims of an idle replica are as far apart as sweeps,
   * and look at everything if that is cheap: those come first.
   */
  boolean isOverdue(long nowNanos) {
    return nowNanos - nextAt >= (isUnderWay() ? 0 : GRACE_NANOS);
  }

  /** Returns how long to wait for the next piece of a round; empty if none has begun. */
  OptionalLong untilNextPiece(long nowNanos) {
    return isUnderWay() ? OptionalLong.of(nextAt - nowNanos) : OptionalLong.empty();
  }

  /** Returns what to look at of that range. */
  Range piece(long from, long to) {
    long low = Math.max(cursor, from);
    return new Range(low, to - low <= step ? to : low + step);
  }

  /** Takes in how long a piece took. */
  void scanned(Range piece, long to, long tookNanos, long nowNanos) {
    leastNanos = Math.min(leastNanos, tookNanos);
    if (tookNanos - leastNanos > SLOW_NANOS) {
      step = Math.max(LEAST, (piece.high() - piece.low()) / 4);
    } else {
      step = step > ALL / 2 ? ALL : step * 2;
    }
    boolean whole = piece.high() >= to;
    roundNanos += whole && cursor == 0 ? tookNanos : QUICK_NANOS;
    cursor = piece.high();
    restUntil = nowNanos + SHARE * tookNanos;
    nextAt = restUntil;
    if (whole) {
      finishSlice(nowNanos);
    }
  }

  private void endRound(long nowNanos) {
    cursor = 0;
    roundNanos = 0;
    slice = List.of();
    lastLane = Integer.MIN_VALUE;
    nextAt = nowNanos + Math.max(everyNanos, restUntil - nowNanos);
  }

  /** Takes in that a piece was not looked at to its end; it is tried again, and is smaller. */
  void failed(Range piece, long tookNanos, long nowNanos) {
    isCheap = false;
    roundNanos += QUICK_NANOS;
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
  void scannedAll(long nowNanos) {
    if (isUnderWay()) {
      isCheap = roundNanos < QUICK_NANOS;
    }
    endRound(nowNanos);
  }

  /** Takes in that everything was looked at together with something else, and how long it took. */
  void scannedAll(long tookNanos, long nowNanos) {
    scannedAll(nowNanos);
    isCheap = tookNanos < SLOW_NANOS;
  }
}
