package dev.monotick.worker;

import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobNote;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import dev.monotick.store.StoreFailures;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the store know that jobs begin that replicas were lost with before: should this one be lost
 * as well, that tells those that took it along from those that only waited beside them.
 * Thread-safe.
 *
 * <p>After a crash there may be thousands of them. So whoever comes while others are being noted
 * goes with the next ones, all in one call.
 */
final class JobStarts {

  private static final Logger log = LoggerFactory.getLogger(JobStarts.class);

  /** Not at once, or a store that takes ends but no notes would be asked without pause. */
  private static final Duration NOT_NOTED = Duration.ofSeconds(1);

  private static final int LARGEST = 1_000;

  private final WorkerContext context;
  private final ReentrantLock noting = new ReentrantLock();
  private final ConcurrentLinkedQueue<Start> waiting = new ConcurrentLinkedQueue<>();

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
    if (job.crashes() == 0) {
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
      Instant now = store.now();
      Set<JobRun> over =
          store.note(
              context.replica(),
              starts.stream()
                  .map(start -> new JobNote(start.run, now, null, null, List.of()))
                  .toList());
      starts.forEach(
          start -> start.refusal = over.contains(start.run) ? new JobFinish.HandedBack() : null);
    } catch (RuntimeException | Error e) { // whatever it was: what is not on record does not begin
      log.warn(
          "jobs do not begin yet, their start could not be noted jobs={} cause={}",
          starts.size(),
          StoreFailures.describe(e),
          StoreFailures.trace(e));
      starts.forEach(start -> start.refusal = new JobFinish.Snoozed(NOT_NOTED));
    }
    starts.forEach(start -> start.isOver = true);
  }
}
