package dev.monotick.bench.postgres;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which ticks of a window of time were begun, and how long after their nominal time by the wall
 * clock. A tick that is begun a second time is a duplicate, and its lateness does not count.
 * Thread-safe.
 */
final class FiringDelays {

  private final Clock clock = Clock.systemUTC();
  private final Instant from;
  private final Instant to;
  private final Set<Tick> ticks = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Long> lateness = new ConcurrentLinkedQueue<>();
  private final LongAdder duplicates = new LongAdder();

  private record Tick(String task, Instant nominal) {}

  /** Counts the ticks from {@code from} (inclusive) to {@code to} (exclusive). */
  FiringDelays(Instant from, Instant to) {
    this.from = from;
    this.to = to;
  }

  /** To be called first thing in a body. */
  void record(String task, Instant nominal) {
    Instant now = clock.instant();
    if (nominal.isBefore(from) || !nominal.isBefore(to)) {
      return;
    }
    if (ticks.add(new Tick(task, nominal))) {
      lateness.add(Duration.between(nominal, now).toNanos());
    } else {
      duplicates.increment();
    }
  }

  int count() {
    return ticks.size();
  }

  Result result(long due) {
    long[] sorted = lateness.stream().mapToLong(Long::longValue).sorted().toArray();
    return new Result(sorted, due, duplicates.sum());
  }

  /**
   * What was seen.
   *
   * @param sorted lateness in nanoseconds, shortest first
   * @param due how many ticks the schedule has in the window
   * @param duplicates how many were begun again
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Result(long[] sorted, long due, long duplicates) {

    double millis(double share) {
      return percentileMillis(sorted, share);
    }

    /** Returns what a script reads. */
    String line() {
      return String.format(
          Locale.ROOT,
          "p50=%.2fms p99=%.2fms max=%.2fms n=%d due=%d duplicates=%d",
          millis(0.5),
          millis(0.99),
          millis(1),
          sorted.length,
          due,
          duplicates);
    }
  }

  /** Returns what this share of all did not exceed, in milliseconds. */
  static double percentileMillis(long[] sortedNanos, double share) {
    return sortedNanos.length == 0
        ? Double.NaN
        : sortedNanos[Math.max(0, (int) Math.ceil(sortedNanos.length * share) - 1)] / 1e6;
  }

  /** Returns the middle one of some values. */
  static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }
}
