package dev.monotick.spi.tick;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The record of ticks that makes each of them unique. Leadership decides who tries; this decides
 * who may. Implemented by our own backends; pre-1.0, so it may still change.
 *
 * <p>Thread-safe. Calls block and throw {@link dev.monotick.error.StoreException} where the store
 * gave no definite answer; every call may then be repeated as it was without doing its work twice.
 * Lists of replies match the lists of requests one to one, and each request stands for itself: one
 * that is refused does not hold up the others.
 */
public interface TickLedger {

  /**
   * Returns the time by the store's clock, as far as this replica knows it: estimated from the last
   * exchange and the local ticker, without I/O. "Due" is judged by it.
   */
  Instant now();

  /** Returns how far the store's clock is ahead of this replica's wall clock. */
  default Duration clockOffset() {
    return Duration.ZERO;
  }

  /**
   * Says whether claims and reports never wait, because the ledger is in the memory of this
   * process; the engine then makes them where it is, instead of on a thread that may block.
   */
  default boolean isImmediate() {
    return false;
  }

  /** Returns the effects that this ledger can keep its word on. */
  Set<Effect> effects();

  /** Begins a term of the group: returns a fence newer than all before it, which become stale. */
  Fence mintFence(String group, MemberId holder);

  /**
   * Makes tasks known and returns their states. A task that is new, or whose schedule's text
   * differs from the stored one, begins at its start; the cursor never moves back.
   */
  List<SeriesState> register(List<SeriesRegistration> registrations);

  /** Returns the states of those tasks that are known. */
  List<SeriesState> states(Collection<String> tasks);

  /**
   * Claims scheduled ticks. For each: a claim of the same identity that was granted before and is
   * still open is granted again; a stale proof is {@code FENCED}; a paused task is {@code PAUSED};
   * a state other than the one seen is {@code MOVED}; while an older scheduled tick waits to be
   * taken it is {@code BUSY}, unless runs may overlap; else gaps and tick are recorded and the
   * cursor moves to the tick.
   */
  List<TickClaimReply> claim(List<TickClaim> requests);

  /**
   * Takes waiting ticks. For each: a claim of the same identity that was granted before and is
   * still open is granted again; a stale proof is {@code FENCED}; a paused task is {@code PAUSED}
   * unless the tick was triggered; a tick that no longer waits, or that this very claim gave back,
   * is {@code MOVED}; one that is passed over and never began is {@code MISSED}, or {@code MOVED}
   * if the cursor is not the one seen; beside an open run, or a scheduled tick while an older one
   * waits, it is {@code BUSY} unless runs may overlap; else it is the caller's.
   */
  List<TickClaimReply> take(List<TickTake> requests);

  /**
   * Accounts for ticks that nobody will run. For each: {@code CLAIMED} if it was recorded, else
   * {@code FENCED}, {@code PAUSED} or {@code MOVED}.
   */
  List<TickClaimReply> account(List<TickAccount> requests);

  /** Records what became of claims. */
  List<TickReportReply> report(List<TickReport> requests);

  /**
   * Does work in one transaction of the data source, which commits only while the claim is the
   * caller's and its proof of leadership the newest; see {@link
   * dev.monotick.task.TaskContext#fencedTransaction}.
   */
  default void transact(FencedWork request, DataSource dataSource, SqlWork work)
      throws SQLException {
    throw new UnsupportedOperationException(
        "tick "
            + request.tick()
            + " cannot have a fenced transaction: its store is no database; use PostgresStore, or"
            + " pass context.fence() and context.idempotencyKey() to what you call");
  }

  /** Pauses a task for all replicas; one that is paused stays as it is. */
  SeriesState pause(String task, SeriesPause pause);

  /**
   * Ends a pause and forgets the failures. The gaps account for the ticks of the pause.
   *
   * @return the new state, or empty if cursor and failures were not those seen, or if it is paused
   *     by another pause than the one seen (so that a late repetition ends none): decide again
   */
  Optional<SeriesState> resume(SeriesState seen, List<TickRecord.Range> gaps);

  /**
   * Adds a tick that somebody asked for; it waits to be taken.
   *
   * @return false if the task has a tick of that trigger already, and nothing was done
   */
  boolean trigger(TickId tick);

  /**
   * Returns what the replica should see to, for the tasks it knows. Also gives the ticks of
   * replicas that are gone either back (if their effect allows another run and they were claimed
   * fewer than three times) or the outcome {@link Outcome#UNKNOWN}.
   */
  TickRescue rescue(MemberId replica, Collection<String> tasks);

  /**
   * Asks to be told when {@link #rescue} may have something new. A hint: it may come too often, or
   * never.
   */
  default void onWaiting(Runnable listener) {}

  /** Returns the newest rows of a task, newest first. */
  List<TickRecord> history(String task, int limit);
}
