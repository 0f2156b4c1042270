package dev.monotick.bench.contender;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Jobs beside those that are measured, of a kind that has every sort of limit: over all, for each
 * tenant, for each key, and a rate. Many of them wait for as long as is measured, and some always
 * run, so that each claim has to deal with the limits.
 */
final class LimitedJobs {

  private static final JobKind<MonotickEngine.Numbered> KIND =
      JobKind.named("limited", MonotickEngine.Numbered.class);

  private static final int RUNNING = 4;
  private static final int RUNNING_OF_A_TENANT = 2;
  private static final int PER_SECOND = 200;
  private static final int TENANTS = 10;
  private static final int KEYS = 50;

  /** So long that what runs at a time comes to its limit now and then, and not only the rate. */
  private static final Duration TAKES = Duration.ofMillis(15);

  private final AtomicLong ran = new AtomicLong();

  static void limit(Jobs jobs) {
    Optional<JobLimit.Rate> rate =
        Optional.of(new JobLimit.Rate(PER_SECOND, Duration.ofSeconds(1)));
    jobs.limit(new JobLimit(scope("", false), Optional.of(RUNNING), rate));
    jobs.limit(
        new JobLimit(
            scope(JobLimit.Scope.EACH, false), Optional.of(RUNNING_OF_A_TENANT), Optional.empty()));
    jobs.limit(new JobLimit(scope("", true), Optional.of(1), Optional.empty()));
  }

  private static JobLimit.Scope scope(String tenant, boolean perKey) {
    return new JobLimit.Scope(KIND.name(), tenant, perKey);
  }

  static void add(Jobs jobs, int count) {
    for (int done = 0; done < count; done += JobSenders.CALL) {
      List<JobRequest<MonotickEngine.Numbered>> requests = new ArrayList<>();
      for (int i = done; i < Math.min(count, done + JobSenders.CALL); i++) {
        requests.add(
            KIND.of(new MonotickEngine.Numbered(i))
                .tenant("tenant-" + i % TENANTS)
                .limitKey("key-" + i % KEYS));
      }
      jobs.enqueue(requests);
    }
  }

  JobKind<MonotickEngine.Numbered> kind() {
    return KIND;
  }

  /** What such a job does. */
  JobOutcome run() {
    LockSupport.parkNanos(TAKES.toNanos());
    ran.incrementAndGet();
    return JobOutcome.done();
  }

  long ran() {
    return ran.get();
  }
}
