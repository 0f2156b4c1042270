package dev.monotick.engine.client;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.spi.job.JobStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for jobs to end. */
final class JobWaits {

  private static final long FIRST_MILLIS = 5;
  private static final long LONGEST_MILLIS = 500;

  /** Longer ones, of which the greatest are no number of milliseconds, are as good as this. */
  private static final Duration FOR_EVER = Duration.ofDays(36_600);

  private final JobStore store;

  JobWaits(JobStore store) {
    this.store = store;
  }

  Optional<Job> await(JobId id, Duration longest) throws InterruptedException {
    long left = longest.compareTo(FOR_EVER) > 0 ? Long.MAX_VALUE : longest.toMillis();
    long wait = FIRST_MILLIS;
    while (true) {
      Optional<Job> job = store.find(id);
      if (job.isEmpty() || job.get().state().isTerminal()) {
        return job;
      }
      if (left <= 0) {
        return Optional.empty();
      }
      long step = Math.min(left, wait);
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(step));
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while waiting for job " + id);
      }
      left -= step;
      wait = Math.min(LONGEST_MILLIS, wait * 2);
    }
  }
}
