package dev.monotick.job;

import dev.monotick.work.SqlWork;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * What a running handler sees of its job. Thread-safe; made by the engine only.
 *
 * @param <P> type of the payload
 */
public interface JobContext<P> {

  /** Returns the job's name. */
  JobId id();

  /** Returns queue, kind, tenant and priority. */
  Lane lane();

  /** Returns what the job is about. */
  P payload();

  /** Returns the version of the kind that wrote the payload. */
  int version();

  /** Returns which attempt this is, from 1. */
  int attempt();

  /** Returns how many attempts the job has in all. */
  int maxAttempts();

  /**
   * Returns which claim of the job this is. Grows with every claim, so it is a fence: whoever keeps
   * the greatest one he has seen can refuse what comes from a run that was taken for dead.
   */
  int run();

  /** Returns a text that is the same for every attempt at this job, and for no other job. */
  default String idempotencyKey() {
    return "job-" + id();
  }

  /** Returns the moment after which no further attempt begins, if the job has one. */
  Optional<Instant> deadline();

  /** Returns what was given with the job: trace context and the like. */
  Map<String, String> headers();

  /** Returns the name of the replica that runs this handler. */
  String replica();

  /**
   * Says whether the handler should stop: cancelled, timed out, shutdown, or taken for dead. The
   * thread is interrupted as well, but only once; this stays true.
   */
  boolean isCancelled();

  /** Throws if {@link #isCancelled()}, so that a loop can end by one line. */
  void checkCancelled() throws InterruptedException;

  /** Waits, and ends at once if the job is cancelled. */
  void sleep(Duration duration) throws InterruptedException;

  /**
   * Tells people how far the job is. Written once a second at the most.
   *
   * @param done from 0 to 1
   * @param doing what it does now
   */
  void progress(double done, String doing);

  /** Adds a line to the job's log; lines over 2,000 characters and after the thousandth are cut. */
  void log(String line);

  /**
   * Does something in one transaction of the store's own database, together with the success of the
   * job: all or nothing, and once. For jobs whose effect is TRANSACTIONAL, which call it once; what
   * the handler returns after it does not matter any more.
   *
   * @param dataSource leads to the database and schema of the store
   * @param work what to do; it must not commit
   * @throws dev.monotick.error.FencedException if the job is no longer this replica's; nothing was
   *     written
   * @throws SQLException if the work or the commit failed; nothing was written
   * @throws dev.monotick.error.StoreException if the connection was lost during the commit and
   *     nobody can say what happened
   * @throws IllegalStateException if the effect is another, or it was called before
   * @throws UnsupportedOperationException if the store is no database
   */
  void transaction(DataSource dataSource, SqlWork work) throws SQLException;
}
