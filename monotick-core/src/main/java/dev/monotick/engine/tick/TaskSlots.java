package dev.monotick.engine.tick;

import java.util.concurrent.atomic.AtomicInteger;

/** How many pieces of a SHARED task's work may run on this replica. Thread-safe: bodies ask it. */
final class TaskSlots {

  /** For the modes that have no slots: their bodies see one, and nobody takes it. */
  static final TaskSlots ONE = new TaskSlots(1);

  private final int most;
  private final AtomicInteger used = new AtomicInteger();

  TaskSlots(int most) {
    this.most = most;
  }

  int free() {
    return Math.max(0, most - used.get());
  }

  /** Occupies a slot; false if none is free. */
  boolean take() {
    return used.getAndUpdate(count -> count < most ? count + 1 : count) < most;
  }

  void release() {
    used.decrementAndGet();
  }
}
