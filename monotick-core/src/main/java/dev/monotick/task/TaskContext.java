package dev.monotick.task;

import dev.monotick.error.FencedException;
import dev.monotick.leader.Fence;
import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;

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
   * Does something in one transaction of the store's own database, and commits only if the tick is
   * still this replica's at that moment: under the newest fence of its group if LEADER, and not
   * taken for dead. Else everything is rolled back. Nothing is locked while {@code work} runs, so a
   * slow transaction holds up no takeover.
   *
   * <p>With effect {@link Effect#TRANSACTIONAL} the tick's success commits with it: all or nothing,
   * and once. Such a body calls this once; whatever it does after that is not part of the promise.
   *
   * @param dataSource leads to the database and schema of the store, under any role that may read
   *     and write its tables
   * @param work what to do; it must not commit
   * @throws FencedException if the tick is no longer this replica's; nothing was written
   * @throws SQLException if the work or the commit failed; nothing was written
   * @throws dev.monotick.error.StoreException if the connection was lost during the commit and
   *     nobody can say what happened
   * @throws IllegalStateException if the mode is EVERY_REPLICA or SHARED, whose ticks nobody else
   *     could have, or a TRANSACTIONAL body already committed
   * @throws UnsupportedOperationException if the store is no database
   */
  void fencedTransaction(DataSource dataSource, SqlWork work) throws SQLException;

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
