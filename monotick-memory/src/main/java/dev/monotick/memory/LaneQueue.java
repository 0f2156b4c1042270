package dev.monotick.memory;

import dev.monotick.job.JobCount;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one lane that are READY, and how many it has of all. Guarded by the store's lock.
 *
 * <p>At the head stand those that came back: handed back, rescued, due, approved or requeued. Both
 * the head and the rest are in the order of their ids.
 */
final class LaneQueue {

  final int number;
  final Lane lane;

  private final TreeMap<Long, MemoryJob> head = new TreeMap<>();
  private final TreeMap<Long, MemoryJob> rest = new TreeMap<>();
  private long waiting;
  private long ready;
  private long running;
  private long succeeded;
  private long failed;
  private long dead;
  private long ended;

  LaneQueue(int number, Lane lane) {
    this.number = number;
    this.lane = lane;
  }

  void addFirst(MemoryJob row) {
    head.put(row.id.value(), row);
  }

  void addLast(MemoryJob row) {
    rest.put(row.id.value(), row);
  }

  void remove(MemoryJob row) {
    head.remove(row.id.value());
    rest.remove(row.id.value());
  }

  /** Returns how many stand in line; those that are blocked by a limit do not. */
  int size() {
    return head.size() + rest.size();
  }

  /** Returns the first; null if there is none. */
  @Nullable MemoryJob first() {
    TreeMap<Long, MemoryJob> from = head.isEmpty() ? rest : head;
    return from.isEmpty() ? null : from.firstEntry().getValue();
  }

  /** Returns since when the longest wait lasts, nearly: that of the first of head and rest. */
  Optional<Instant> oldest() {
    Instant atHead = head.isEmpty() ? null : head.firstEntry().getValue().readyAt;
    Instant behind = rest.isEmpty() ? null : rest.firstEntry().getValue().readyAt;
    if (atHead == null || (behind != null && behind.isBefore(atHead))) {
      return Optional.ofNullable(behind);
    }
    return Optional.of(atHead);
  }

  /** Says how many of the lane wait for their time, a decision or a replica. */
  long depth() {
    return waiting + ready;
  }

  void leaves(JobState state) {
    now(state, -1);
  }

  void enters(JobState state) {
    now(state, 1);
    switch (state) {
      case SUCCEEDED -> succeeded++;
      case CANCELLED, REJECTED, EXPIRED, UNKNOWN -> ended++;
      default -> {} // counted above
    }
  }

  void runFailed() {
    failed++;
  }

  JobCount count() {
    return new JobCount(lane, waiting, ready, running, succeeded, failed, dead, ended);
  }

  private void now(JobState state, int change) {
    switch (state) {
      case SCHEDULED, RETRYING, AWAITING_APPROVAL -> waiting += change;
      case READY -> ready += change;
      case RUNNING -> running += change;
      case DEAD -> dead += change;
      default -> {} // over: nobody counts how many of them are there now
    }
  }
}
