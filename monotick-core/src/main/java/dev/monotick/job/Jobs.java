package dev.monotick.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The jobs of a store: adds them, looks at them, and decides about them. Thread-safe. Handlers are
 * given to {@link dev.monotick.MonotickBuilder#handler}; a process that only enqueues needs none
 * and gets its jobs from {@link dev.monotick.Monotick#jobs(dev.monotick.spi.Store)}.
 *
 * <p>All methods throw {@link IllegalArgumentException} for values that cannot be, naming them, and
 * {@link dev.monotick.error.StoreException} where the store gave no definite answer.
 */
public interface Jobs {

  /**
   * Adds a job; durable when it returns. Many threads that do so at a time share transactions.
   *
   * @return the job: the one that has the unique key, if another has it
   */
  Enqueued enqueue(JobRequest<?> request);

  /** Adds jobs, all or none, in the order of the list. */
  List<Enqueued> enqueue(List<? extends JobRequest<?>> requests);

  /**
   * Adds a job in the caller's transaction: it exists if that commits. Call {@link #notifyWorkers}
   * after it did, or the job is found at a replica's next look.
   *
   * @param connection leads to the database of the store
   */
  Enqueued enqueue(Connection connection, JobRequest<?> request) throws SQLException;

  /** Adds jobs in the caller's transaction. */
  List<Enqueued> enqueue(Connection connection, List<? extends JobRequest<?>> requests)
      throws SQLException;

  /** Tells replicas at once of what was added in transactions of the caller's. */
  void notifyWorkers();

  /** Adds jobs of which each waits for the success of the one before it. */
  List<Enqueued> chain(List<? extends JobRequest<?>> requests);

  /**
   * Adds jobs, and one that waits until all of them have ended, however they did.
   *
   * @return the jobs, and last the one that waits
   */
  List<Enqueued> batch(List<? extends JobRequest<?>> requests, JobRequest<?> whenAllEnded);

  /**
   * Returns these jobs, but adding to a queue that has so many waiting is refused with {@link
   * QueueFullException}. Judged by the counts at that moment: callers that come together may
   * together add more.
   */
  Jobs withMaxQueueDepth(long depth);

  /**
   * Returns these jobs, but what is added has that job as its parent: {@link Job#parent} tells
   * people where it came from. A handler gives its own, {@link JobContext#id}.
   */
  Jobs childrenOf(JobId parent);

  /** Returns what is known of a job, if it is not forgotten. */
  Optional<Job> find(JobId id);

  /** Waits until a job has ended and returns it; empty if it did not in that time. */
  Optional<Job> await(JobId id, Duration longest) throws InterruptedException;

  /** Returns a job's log lines, oldest first. */
  List<Job.LogLine> log(JobId id, int limit);

  /** Returns jobs, youngest first, without payloads and attempts. */
  List<Job> list(JobFilter filter, int limit);

  /** Calls a job off, wherever it is; final. Returns whether it was not over yet. */
  boolean cancel(JobId id, String by, String reason);

  /** Lets a job run that awaits approval; false if it does not. */
  boolean approve(JobId id, String by, String note);

  /** Ends a job that awaits approval; false if it does not. */
  boolean reject(JobId id, String by, String note);

  /**
   * Gives a job that waits for its time another one; false if it does not wait.
   *
   * @param at of the years 1970 to 2199; at once if it has passed
   */
  boolean reschedule(JobId id, Instant at);

  /** Has jobs run again that ended otherwise than well; returns those that were found so. */
  List<JobId> requeue(List<JobId> ids, String by);

  /** Forgets dead letters; returns those that were. */
  List<JobId> purge(List<JobId> ids);

  /** Returns how many jobs there are, by lane and state. */
  List<JobCount> counts();

  /** Has nobody take jobs of a queue or kind from now on. */
  void pause(JobPause.Of of, String name, String by, String note);

  /** Ends a pause; false if there was none. */
  boolean resume(JobPause.Of of, String name);

  /** Returns what is paused. */
  List<JobPause> pauses();

  /** Sets a limit for all replicas, in place of one of the same scope. */
  void limit(JobLimit limit);

  /** Removes a limit; false if there was none. */
  boolean removeLimit(JobLimit.Scope scope);

  /** Returns all limits. */
  List<JobLimit> limits();

  /** Sets a tenant's share, 1 to 1,000; one of twice the weight gets twice as much. */
  void setTenantWeight(String tenant, int weight);
}
