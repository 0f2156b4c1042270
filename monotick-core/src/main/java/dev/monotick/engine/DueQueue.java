package dev.monotick.engine;

import dev.monotick.thread.EngineThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes task loops when their time has come, by the store's clock. One timer for all of them.
 *
 * <p>An entry that was replaced stays in the heap and is passed over when it comes up; a loop has
 * one valid entry at most.
 */
final class DueQueue {

  private final EngineThreads threads;
  private final Supplier<Instant> now;
  private final PriorityQueue<Entry> heap = new PriorityQueue<>();
  private final Map<TaskLoop, Entry> valid = new HashMap<>();
  private EngineThreads.@Nullable Cancellable timer;
  private @Nullable Instant armedFor;
  private long sequence;

  private record Entry(Instant time, long sequence, TaskLoop loop) implements Comparable<Entry> {

    @Override
    public int compareTo(Entry other) {
      int byTime = time.compareTo(other.time);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  DueQueue(EngineThreads threads, Supplier<Instant> now) {
    this.threads = threads;
    this.now = now;
  }

  void wakeAt(TaskLoop loop, Instant time) {
    Entry entry = new Entry(time, sequence++, loop);
    Entry replaced = valid.put(loop, entry);
    if (replaced != null && replaced.time().equals(time)) {
      valid.put(loop, replaced);
      return;
    }
    heap.add(entry);
    arm();
  }

  /** Looks at the clock again: it may have been set. */
  void clockMayHaveJumped() {
    disarm();
    wakeDue();
  }

  void clear() {
    heap.clear();
    valid.clear();
    disarm();
  }

  private void wakeDue() {
    Instant time = now.get();
    Entry first = heap.peek();
    while (first != null && !first.time().isAfter(time)) {
      heap.remove();
      if (valid.remove(first.loop(), first)) {
        first.loop().wake();
      }
      first = heap.peek();
    }
    arm();
  }

  private void arm() {
    Entry first = heap.peek();
    if (first == null) {
      return;
    }
    Instant armed = armedFor;
    if (armed != null && !first.time().isBefore(armed)) {
      return;
    }
    disarm();
    armedFor = first.time();
    Duration wait = Duration.between(now.get(), first.time());
    timer = threads.schedule(wait.isNegative() ? Duration.ZERO : wait, this::fire);
  }

  private void fire() {
    timer = null;
    armedFor = null;
    wakeDue();
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    armedFor = null;
  }
}
