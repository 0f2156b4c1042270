package dev.monotick.engine.tick;

import dev.monotick.engine.thread.EngineThreads;
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
public final class DueQueue {

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

  public DueQueue(EngineThreads threads, Supplier<Instant> now) {
    this.threads = threads;
    this.now = now;
  }

  public void scheduleAt(TaskLoop loop, Instant time) {
    Entry waiting = loop.scheduledFor;
    if (waiting != null && waiting.time().equals(time)) {
      return;
    }
    Entry entry = new Entry(time, sequence++, loop);
    loop.scheduledFor = entry;
    heap.add(entry);
    arm();
  }

  /** Looks at the clock again: it may have been set. */
  public void clockMayHaveJumped() {
    disarm();
    notifyDue();
  }

  public void clear() {
    heap.forEach(entry -> entry.loop().scheduledFor = null);
    heap.clear();
    disarm();
  }

  private void notifyDue() {
    Instant time = now.get();
    Entry first = heap.peek();
    while (first != null && !first.time().isAfter(time)) {
      heap.remove();
      if (first.equals(first.loop().scheduledFor)) {
        first.loop().scheduledFor = null;
        notifyLoop(first.loop());
      }
      first = heap.peek();
    }
    arm();
  }

  /** A schedule is the user's code where it has predicates: it must not stop other tasks. */
  private static void notifyLoop(TaskLoop loop) {
    try {
      loop.scheduledTimeReached();
    } catch (RuntimeException e) {
      log.error("task cannot be planned, it no longer runs task={}", loop.spec().name(), e);
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
    notifyDue();
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    armedFor = null;
  }
}
