package dev.monotick.spi.job;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobStart;
import dev.monotick.job.QueueFullException;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.work.SqlWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The jobs of all replicas. Implemented by our own backends; pre-1.0, so it may still change.
 *
 * <p>A job is moved only by the steps of {@link dev.monotick.spi.job.JobTransition}. Each claim of
 * a job is a {@linkplain JobRun run} with a number; its end is recorded once, and whoever records
 * it first decides: the replica that ran it, the one that rescues it, or somebody who cancels it.
 * That is the job's fence.
 *
 * <p>Thread-safe. Calls block and throw {@link dev.monotick.error.StoreException} where the store
 * gave no definite answer. {@link #claim}, {@link #complete} and {@link #exchange} may then be
 * repeated as they were without doing their work twice; for other calls, read the state first.
 */
public interface JobStore {

  /** Returns the time by the store's clock, estimated without I/O. */
  Instant now();

  /** Returns how long an idle replica may wait between two looks; longer if it is told of jobs. */
  default Duration pollInterval() {
    return Duration.ofSeconds(1);
  }

  /** Returns whether calls never wait, because the store is in the memory of this process. */
  default boolean isImmediate() {
    return false;
  }

  /**
   * Adds jobs and returns one reply for each draft, in their order. Durable when it returns.
   * Whoever listens is told, soon.
   *
   * @throws QueueFullException if a queue would have more jobs than the depth of the order allows;
   *     nothing was added
   */
  List<Enqueued> enqueue(EnqueueRequest order);

  /**
   * Adds jobs in the caller's transaction: they exist if it commits. Tell {@link #notifyWorkers}
   * after that; if nobody does, they are found at the next look.
   *
   * @throws UnsupportedOperationException if the store is no database
   */
  default List<Enqueued> enqueue(Connection connection, EnqueueRequest order) throws SQLException {
    throw new UnsupportedOperationException(
        "jobs cannot be added in a transaction of yours: their store is no database");
  }

  /**
   * Tells replicas that queues have new jobs. Returns at once; a hint.
   *
   * @param queues where; empty for any
   */
  void notifyWorkers(Collection<String> queues);

  /** Asks to be told the queues that may have new jobs. */
  void onReady(JobSignals listener);

  /**
   * Asks to be told jobs whose runs were ended by others. A hint: it may come too often, or never.
   * The listener must not block.
   */
  void onEnded(Consumer<Set<JobId>> listener);

  /** Makes due the jobs whose time has come, and claims jobs. See {@link ClaimRequest}. */
  ClaimReply claim(ClaimRequest request);

  /**
   * Records how runs ended. Returns for each completion, in its order, whether it was recorded;
   * false if the run was not the member's any more: rescued, cancelled or expired meanwhile. A
   * completion that is on record already, as it is reported now, counts again.
   *
   * @param completions runs that ended, all claimed under one membership
   */
  List<Boolean> complete(List<Completion> completions);

  /**
   * Completes and claims, in one round trip if the store can. The claim sees the room that the
   * completions made.
   */
  default ExchangeReply exchange(ExchangeRequest request) {
    List<Boolean> completed =
        request.completions().isEmpty() ? List.of() : complete(request.completions());
    return new ExchangeReply(completed, claim(request.claim()));
  }

  /** Returns what hands off jobs to waiting replicas, if the store can. */
  default Optional<JobHandoffStore> handoff() {
    return Optional.empty();
  }

  /**
   * Records that the handlers of runs are about to begin, and returns the runs that may begin:
   * those that are still the replica's. A run either begins or is {@linkplain #rescue() rescued} as
   * one that never began, not both, also if both are tried at the same time. Durable when it
   * returns. Required for {@linkplain ClaimedJob#needsStart() some jobs} only, because it costs a
   * commit.
   *
   * <p>After a {@link dev.monotick.error.StoreException} the starts may be on record, so these
   * handlers must not begin and their runs are to be ended.
   *
   * @param at when, by the store's clock
   */
  Set<JobRun> start(MemberId replica, List<JobRun> runs, Instant at);

  /**
   * Records what is known of runs that take a while, and returns those that have ended, which
   * should stop. Log lines are kept even then, unless the job was given to another replica.
   */
  Set<JobRun> note(MemberId replica, List<RunProgress> notes);

  /**
   * Sees to the runs of replicas that are gone, which is all that are not alive in the registry:
   * ready again, at the head of their line and without costing an attempt; dead, if it was the
   * {@value #MOST_CRASHES}th time; unknown, if they may not run twice and have a {@linkplain #start
   * start}. Safe to call at any time, by anybody.
   *
   * <p>The first time counts whatever the run did, since nothing is recorded of most runs that
   * begin. From then on one counts only if it has a {@linkplain #start start}: a job that merely
   * waited on a replica which another one took along is not given up for that. For the same reason
   * a job that may not run twice and has no start is ready again, however often that happens.
   *
   * @return how many runs were seen to
   */
  int rescue();

  /** How often a job may take its replica with it. */
  int MOST_CRASHES = 3;

  /**
   * Does work in one transaction of the data source, in which the run succeeds too: all or nothing,
   * and once. Throws as {@link dev.monotick.task.TaskContext#fencedTransaction} does.
   */
  default void transact(MemberId replica, Completion success, DataSource dataSource, SqlWork work)
      throws SQLException {
    throw new UnsupportedOperationException(
        "job " + success.job().id() + " cannot be TRANSACTIONAL: its store is no database");
  }

  /**
   * Calls a job off, wherever it is. Final: a replica that has it can report nothing any more. Who
   * did it and why is the detail of its end, here as with {@link #reject} and {@link #requeue}.
   *
   * @return whether it was not over yet
   */
  boolean cancel(JobId id, String by, String reason);

  /** Lets a job run that awaits approval; false if it does not. */
  boolean approve(JobId id, String by, String note);

  /** Ends a job that awaits approval; false if it does not. */
  boolean reject(JobId id, String by, String note);

  /**
   * Gives a job that waits for its time another one; false if it does not wait.
   *
   * @throws IllegalArgumentException if it is {@linkplain JobStart#requireMoment no moment} of jobs
   */
  boolean reschedule(JobId id, Instant at);

  /**
   * Has jobs run again that ended otherwise than well, with all their attempts before them, and
   * returns those that were found so. A job that needs approval needs it again; one whose unique
   * key another job has by now is left as it is, so of two with one key the older runs. It waits
   * for no other job any more, and none for it.
   */
  List<JobId> requeue(List<JobId> ids, String by);

  /** Forgets dead letters; returns those that were. */
  List<JobId> purge(List<JobId> ids);

  /** Returns what is known of a job, if it is not forgotten. */
  Optional<Job> find(JobId id);

  /** Returns the first log lines of a job, oldest first. */
  List<Job.LogLine> log(JobId id, int limit);

  /** Returns jobs, youngest first, without payloads and attempts. */
  List<Job> list(JobFilter filter, int limit);

  /** Returns those of these jobs that are not forgotten, in the same manner; at most 10,000. */
  List<Job> list(List<JobId> ids);

  /** Returns what is in which lane. */
  List<JobCount> counts();

  /** Has nobody take jobs of a queue or kind from now on; one that is paused stays as it is. */
  void pause(JobPause pause);

  /** Ends a pause; false if there was none. */
  boolean resume(JobPause.Of of, String name);

  /** Returns what is paused. */
  List<JobPause> pauses();

  /** Sets a limit, in place of one of the same scope; effective on all replicas at once. */
  void limit(JobLimit limit);

  /** Removes a limit; false if there was none. */
  boolean removeLimit(JobLimit.Scope scope);

  /** Returns all limits. */
  List<JobLimit> limits();

  /** Sets a tenant's share, 1 by default: one of twice the weight gets twice as much. */
  void setTenantWeight(String tenant, int weight);

  /**
   * Sets how long jobs of a queue and tenant stay on record after they were added and ended, if
   * that is shorter than the store's own retention. Of several that match a job, the one that names
   * its queue counts, then the one that names its tenant. What is alive or a dead letter stays.
   *
   * @param queue the queue, empty for all
   * @param tenant the tenant, empty for all
   * @param retention at least a day; part of a day counts as a day
   * @throws UnsupportedOperationException if the store keeps no history for long
   */
  default void retain(String queue, String tenant, Duration retention) {
    throw new UnsupportedOperationException(
        "retention cannot be set: the store keeps no history of jobs for long");
  }
}
