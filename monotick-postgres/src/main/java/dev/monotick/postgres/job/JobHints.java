package dev.monotick.postgres.job;

import dev.monotick.job.JobId;
import java.util.Collection;

/** Who is told what somebody did to jobs, after it was committed. Hints: they may be lost. */
interface JobHints {

  /** These jobs ended; whoever runs one should stop. */
  void ended(Collection<JobId> ids);

  /** These queues may have jobs to claim, or some that are due earlier than was known. */
  void wake(Collection<String> queues);
}
