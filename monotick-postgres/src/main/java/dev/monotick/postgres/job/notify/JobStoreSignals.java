package dev.monotick.postgres.job.notify;

import dev.monotick.job.JobId;
import java.util.Collection;

/** Who is told what somebody did to jobs, after it was committed. Hints: they may be lost. */
public interface JobStoreSignals {

  /** These jobs ended; whoever runs one should stop. */
  void jobsEnded(Collection<JobId> ids);

  /** These queues may have jobs to claim, or some that are due earlier than was known. */
  void queuesReady(Collection<String> queues);
}
