package dev.monotick;

import dev.monotick.job.JobId;
import dev.monotick.tick.TickId;
import java.util.List;

/**
 * How a stop went.
 *
 * @param stillRunning ticks whose bodies ignored their cancellation and still run; leadership was
 *     then not released but left to expire
 * @param jobsStillRunning jobs whose handlers ignored their interrupt; others take them when this
 *     replica's lease ran out
 */
public record StopReport(List<TickId> stillRunning, List<JobId> jobsStillRunning) {

  /** Copies the lists. */
  public StopReport {
    stillRunning = List.copyOf(stillRunning);
    jobsStillRunning = List.copyOf(jobsStillRunning);
  }

  /** Says whether everything ended. */
  public boolean isClean() {
    return stillRunning.isEmpty() && jobsStillRunning.isEmpty();
  }
}
