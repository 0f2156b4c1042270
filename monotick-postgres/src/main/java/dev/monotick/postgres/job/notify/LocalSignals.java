package dev.monotick.postgres.job.notify;

import dev.monotick.job.JobId;
import dev.monotick.postgres.job.queue.DueTimes;
import java.util.Collection;

/** Has this process look again at what is due, and tells the others. */
public record LocalSignals(JobNotifier notifier, DueTimes due) implements JobStoreSignals {

  @Override
  public void jobsEnded(Collection<JobId> ids) {
    notifier.jobsEnded(ids);
  }

  @Override
  public void queuesReady(Collection<String> queues) {
    due.pollSoon();
    notifier.queuesReady(queues);
  }
}
