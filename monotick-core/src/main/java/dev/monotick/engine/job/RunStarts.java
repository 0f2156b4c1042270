package dev.monotick.engine.job;

import dev.monotick.internal.StoreFailures;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the start of jobs that {@linkplain ClaimedJob#needsStart() need} it before their handlers
 * begin. Should this replica be lost, the record tells the jobs whose handlers may have begun from
 * those that only waited beside them. Thread-safe.
 *
 * <p>There may be thousands of them. Starts that arrive while a call is under way share the next
 * call.
 */
final class RunStarts {

  private static final Logger log = LoggerFactory.getLogger(RunStarts.class);

  /** Not at once, or a store that takes ends but no starts would be asked without pause. */
  private static final Duration NOT_NOTED = Duration.ofSeconds(1);

  private static final Duration LOG_EVERY = Duration.ofMinutes(1);
  private static final int LARGEST = 1_000;

  private final JobWorkerContext context;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition answered = lock.newCondition();
  private final ArrayDeque<Start> waiting = new ArrayDeque<>(); // guarded by lock
  private boolean calling; // the store is being asked; guarded by lock
  private @Nullable Long loggedNanos; // written by the thread that asks, one at a time

  /** A job that is about to begin. */
  private static final class Start {

    private final MemberId owner;
    private final JobRun run;
    private boolean isOver; // guarded by lock
    private Completion.@Nullable End refusal; // written before isOver, by the thread that asks

    Start(ClaimedJob job) {
      this.owner = job.owner();
      this.run = job.run();
    }
  }

  RunStarts(JobWorkerContext context) {
    this.context = context;
  }

  /**
   * Returns null once the job may begin, else how its run ends without. May wait: not for the loop.
   */
  Completion.@Nullable End refusal(ClaimedJob job) {
    if (!job.needsStart()) {
      return null; // as nearly always
    }
    Start start = new Start(job);
    lock.lock();
    try {
      waiting.add(start);
      while (!start.isOver) {
        if (calling) {
          answered.awaitUninterruptibly(); // goes with the next call, or with this one
        } else {
          recordThoseThatWait();
        }
      }
      return start.refusal;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many wait to be recorded. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** Asks the store without the lock, so that others can gather meanwhile. */
  private void recordThoseThatWait() {
    List<Start> starts = new ArrayList<>();
    while (!waiting.isEmpty() && starts.size() < LARGEST) {
      starts.add(waiting.remove());
    }
    calling = true;
    lock.unlock();
    try {
      record(starts);
    } finally {
      lock.lock();
      calling = false;
      starts.forEach(start -> start.isOver = true);
      answered.signalAll();
    }
  }

  private void record(List<Start> starts) {
    try {
      JobStore store = context.store();
      Map<MemberId, List<JobRun>> runs = new HashMap<>();
      for (Start start : starts) {
        runs.computeIfAbsent(start.owner, any -> new ArrayList<>()).add(start.run);
      }
      Set<JobRun> begin = new HashSet<>();
      runs.forEach((owner, ofOwner) -> begin.addAll(store.start(owner, ofOwner, store.now())));
      starts.forEach(
          start -> start.refusal = begin.contains(start.run) ? null : new Completion.HandedBack());
    } catch (RuntimeException | Error e) { // whatever it was: what is not on record does not begin
      logNowAndThen(starts.size(), e);
      starts.forEach(start -> start.refusal = new Completion.Snoozed(NOT_NOTED));
    }
  }

  /** Jobs may come again every second. */
  private void logNowAndThen(int jobs, Throwable failure) {
    long nanos = context.time().nanos();
    if (loggedNanos == null || nanos - loggedNanos >= LOG_EVERY.toNanos()) {
      loggedNanos = nanos;
      log.warn(
          "jobs do not begin yet, their start could not be recorded jobs={} cause={}",
          jobs,
          StoreFailures.describe(failure),
          StoreFailures.trace(failure));
    }
  }
}
