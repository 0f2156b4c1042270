package dev.monotick.task;

import dev.monotick.leader.Fence;
import dev.monotick.ledger.TickId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What a running body sees of its tick. Thread-safe; made by the engine only. */
public interface TaskContext {

  /** Returns the identity of the tick. */
  TickId tick();

  /** Returns the nominal time of the tick: use this, not the current time, to know its period. */
  default Instant nominalTime() {
    return tick().nominal();
  }

  /** Returns which attempt at the tick this is, from 1. */
  int attempt();

  /** Returns the name of the replica that runs this body. */
  String replica();

  /**
   * Returns a text that is the same for every attempt at this tick, on every replica, and for no
   * other tick. For {@link HaMode#EVERY_REPLICA} and {@link HaMode#SHARED} it names the replica
   * too.
   */
  String idempotencyKey();

  /** Returns the fence of the term in which the tick was claimed; empty unless LEADER. */
  Optional<Fence> fence();

  /**
   * Says whether the body should stop: leadership lost, timeout, shutdown, or replaced by a newer
   * tick. The thread is interrupted as well, but only once; this stays true.
   */
  boolean isCancelled();

  /** Throws if {@link #isCancelled()}, so that a loop can end by one line. */
  void checkCancelled() throws InterruptedException;

  /** Waits, and ends at once if the body is cancelled. */
  void sleep(Duration duration) throws InterruptedException;

  /**
   * Returns how many pieces of work this body may claim now, for {@link HaMode#SHARED}; 1 for every
   * other mode.
   */
  int freeSlots();

  /**
   * Runs a claimed piece of work beside this body, in one of the free slots, which it occupies
   * until it returns. The tick may end before it does.
   *
   * @throws IllegalStateException if no slot is free
   */
  void runInSlot(TaskBody work);
}
