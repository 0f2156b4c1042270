package dev.monotick.postgres.job;

import dev.monotick.job.JobId;
import java.util.Collection;

/** Has this process look again at what is due, and tells the others. */
record LocalHints(JobWakes wakes, DueTimes due) implements JobHints {

  @Override
  public void ended(Collection<JobId> ids) {
    wakes.ended(ids);
  }

  @Override
  public void wake(Collection<String> queues) {
    due.lookSoon();
    wakes.wake(queues);
  }
}
