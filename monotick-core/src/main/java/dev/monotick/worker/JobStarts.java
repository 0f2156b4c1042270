package dev.monotick.worker;

import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
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
final class JobStarts {

  private static final Logger log = LoggerFactory.getLogger(JobStarts.class);

  /** Not at once, or a store that takes ends but no starts would be asked without pause. */
  private static final Duration NOT_NOTED = Duration.ofSeconds(1);

  private static final Duration LOG_EVERY = Duration.ofMinutes(1);
  private static final int LARGEST = 1_000;

  private final WorkerContext context;
  private final ReentrantLock noting = new ReentrantLock();
  private final ConcurrentLinkedQueue<Start> waiting = new ConcurrentLinkedQueue<>();
  private @Nullable Long loggedNanos; // guarded by noting

  /** A job that is about to begin. */
  private static final class Start {

    private final JobRun run;
    // Guarded by noting.
    private boolean isOver;
    private JobFinish.@Nullable End refusal;

    Start(JobRun run) {
      this.run = run;
    }
  }

  JobStarts(WorkerContext context) {
    this.context = context;
  }

  /**
   * Returns null once the job may begin, else how its run ends without. May wait: not for the loop.
   */
  JobFinish.@Nullable End refusal(ClaimedJob job) {
    if (!job.needsStart()) {
      return null; // as nearly always
    }
    Start start = new Start(job.run());
    waiting.add(start);
    noting.lock();
    try {
      while (!start.isOver) { // else it went with others
        noteThoseThatWait();
      }
      return start.refusal;
    } finally {
      noting.unlock();
    }
  }

  /** Guarded by noting. Jobs may come again every second. */
  private void logNowAndThen(int jobs, Throwable failure) {
    long nanos = context.time().nanos();
    if (loggedNanos == null || nanos - loggedNanos >= LOG_EVERY.toNanos()) {
      loggedNanos = nanos;
      log.warn("jobs do not begin yet, their start could not be recorded jobs={}", jobs, failure);
    }
  }

  /** Returns how many wait to be noted. */
  int waiting() {
    return waiting.size();
  }

  private void noteThoseThatWait() {
    List<Start> starts = new ArrayList<>();
    for (Start next = waiting.poll();
        next != null;
        next = starts.size() < LARGEST ? waiting.poll() : null) {
      starts.add(next);
    }
    try {
      JobStore store = context.store();
      List<JobRun> runs = starts.stream().map(start -> start.run).toList();
      Set<JobRun> begin = store.start(context.replica(), runs, store.now());
      starts.forEach(
          start -> start.refusal = begin.contains(start.run) ? null : new JobFinish.HandedBack());
    } catch (RuntimeException | Error e) { // whatever it was: what is not on record does not begin
      logNowAndThen(starts.size(), e);
      starts.forEach(start -> start.refusal = new JobFinish.Snoozed(NOT_NOTED));
    }
    starts.forEach(start -> start.isOver = true);
  }
}
