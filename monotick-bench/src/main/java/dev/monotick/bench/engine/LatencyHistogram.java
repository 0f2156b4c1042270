package dev.monotick.bench.engine;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts times in buckets of ten microseconds up to two seconds; thread-safe, allocates nothing.
 */
final class LatencyHistogram {

  private static final long BUCKET_NANOS = 10_000;
  private static final int BUCKETS = 200_000;

  private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
  private final LongAdder count = new LongAdder();

  void record(long nanos) {
    int bucket = (int) Math.min(BUCKETS - 1L, Math.max(0, nanos / BUCKET_NANOS));
    buckets.incrementAndGet(bucket);
    count.increment();
  }

  long count() {
    return count.sum();
  }

  /** Returns the time, in milliseconds, that this share of all did not exceed. */
  double percentileMillis(double share) {
    long wanted = (long) Math.ceil(count() * share);
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += buckets.get(i);
      if (seen >= wanted) {
        return (i + 1) * BUCKET_NANOS / 1e6;
      }
    }
    return Double.NaN;
  }
}
