package dev.monotick.engine;

import dev.monotick.thread.EngineThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes task loops when their time has come, by the store's clock. One timer for all of them.
 *
 * <p>An entry that was replaced stays in the heap and is passed over when it comes up; a loop has
 * one valid entry at most.
 */
final class DueQueue {

  private static final Logger log = LoggerFactory.getLogger(DueQueue.class);
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private final EngineThreads threads;
  private final Supplier<Instant> now;
  private final PriorityQueue<Entry> heap = new PriorityQueue<>();
  private EngineThreads.@Nullable Cancellable timer;
  private @Nullable Instant armedFor;
  private long sequence;

  record Entry(Instant time, long sequence, TaskLoop loop) implements Comparable<Entry> {

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
    Entry waiting = loop.wakeUp;
    if (waiting != null && waiting.time().equals(time)) {
      return;
    }
    Entry entry = new Entry(time, sequence++, loop);
    loop.wakeUp = entry;
    heap.add(entry);
    arm();
  }

  /** Looks at the clock again: it may have been set. */
  void clockMayHaveJumped() {
    disarm();
    wakeDue();
  }

  void clear() {
    heap.forEach(entry -> entry.loop().wakeUp = null);
    heap.clear();
    disarm();
  }

  private void wakeDue() {
    Instant time = now.get();
    Entry first = heap.peek();
    while (first != null && !first.time().isAfter(time)) {
      heap.remove();
      if (first.equals(first.loop().wakeUp)) {
        first.loop().wakeUp = null;
        wake(first.loop());
      }
      first = heap.peek();
    }
    arm();
  }

  /** A schedule is the user's code where it has predicates: it must not stop other tasks. */
  private static void wake(TaskLoop loop) {
    try {
      loop.wake();
    } catch (RuntimeException e) {
      log.error("task cannot be planned, it is left alone task={}", loop.spec().name(), e);
    }
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
    if (wait.compareTo(LONGEST_WAIT) > 0) {
      wait = LONGEST_WAIT; // then it looks again
    }
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
