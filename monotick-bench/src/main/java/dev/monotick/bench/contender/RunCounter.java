package dev.monotick.bench.contender;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Clock;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what was run in this process: which numbers, how many in each millisecond, and, if wanted,
 * when each began. Numbers outside of the range are counted, and nothing else. Times are of the
 * wall clock, which all processes share. Thread-safe; takes no lock.
 */
final class RunCounter {

  private static final int MILLIS = 1 << 22; // 70 minutes; what is later counts as then
  private static final int PART = 1 << 12;

  private final Clock clock = Clock.systemUTC();
  private final long from = clock.millis();
  private final int numbers;
  private final AtomicIntegerArray seen;
  private final AtomicLongArray starts;
  private final AtomicReferenceArray<AtomicIntegerArray> perMilli =
      new AtomicReferenceArray<>(MILLIS / PART); // made as time goes by: to begin costs nothing
  private final LongAdder count = new LongAdder();

  /**
   * Tells apart the numbers from 0 to {@code numbers}, exclusive, and keeps the time at which each
   * was first begun if {@code times} says so.
   */
  RunCounter(int numbers, boolean times) {
    this.numbers = numbers;
    this.seen = new AtomicIntegerArray(numbers / 32 + 1);
    this.starts = new AtomicLongArray(times ? numbers : 0);
  }

  /** What a job does. */
  void ran(int number) {
    Instant now = clock.instant();
    int milli = (int) Math.min(MILLIS - 1L, Math.max(0, now.toEpochMilli() - from));
    if (number >= 0 && number < numbers) {
      int bit = 1 << number;
      seen.getAndUpdate(number >>> 5, word -> word | bit);
      if (starts.length() > 0) {
        starts.compareAndSet(number, 0, now.getEpochSecond() * 1_000_000 + now.getNano() / 1000);
      }
    }
    part(milli / PART).incrementAndGet(milli % PART);
    count.increment();
  }

  private AtomicIntegerArray part(int index) {
    AtomicIntegerArray part = perMilli.get(index);
    if (part != null) {
      return part;
    }
    perMilli.compareAndSet(index, null, new AtomicIntegerArray(PART));
    return perMilli.get(index);
  }

  long count() {
    return count.sum();
  }

  /**
   * Returns how many were run, which, and when: the count, the numbers as bits in base 64, and the
   * count of each millisecond that has any, as in {@code 1789:3,1790:12}.
   */
  String report() {
    ByteBuffer bits = ByteBuffer.allocate(4 * seen.length()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < seen.length(); i++) {
      bits.putInt(seen.get(i));
    }
    StringBuilder times = new StringBuilder();
    for (int i = 0; i < MILLIS; i++) {
      AtomicIntegerArray part = perMilli.get(i / PART);
      int here = part == null ? 0 : part.get(i % PART);
      if (here > 0) {
        times.append(times.isEmpty() ? "" : ",").append(from + i).append(':').append(here);
      }
    }
    return count() + " " + Base64.getEncoder().encodeToString(bits.array()) + " " + times;
  }

  /** Returns when numbers were begun, in microseconds: {@code 0:1789000,1:1790000}. */
  String starts() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < starts.length(); i++) {
      long at = starts.get(i);
      if (at != 0) {
        text.append(text.isEmpty() ? "" : ",").append(i).append(':').append(at);
      }
    }
    return text.toString();
  }
}
