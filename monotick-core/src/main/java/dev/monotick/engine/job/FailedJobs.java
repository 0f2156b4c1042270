package dev.monotick.engine.job;

import dev.monotick.internal.StoreFailures;
import dev.monotick.spi.job.ClaimedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs how handlers failed: what they threw with its stack trace, as for tasks. */
final class FailedJobs {

  private static final Logger log = LoggerFactory.getLogger(FailedJobs.class);

  private FailedJobs() {}

  /** Logs that a handler returned a failure. */
  static void log(JobWorkerContext context, ClaimedJob job, String reason) {
    log.warn(
        "failed job={} lane={} attempt={} of={} replica={} reason={}",
        job.id(),
        job.lane(),
        job.run().attempt(),
        job.rules().maxAttempts(),
        context.replicaName(),
        reason.lines().findFirst().orElse(""));
  }

  /** Logs a failure; a logger calls methods of the failure, which may throw as well. */
  static void log(JobWorkerContext context, ClaimedJob job, Throwable failure) {
    try {
      if (StoreFailures.isLostConnection(failure)) {
        log.warn(
            "failed, the database gave no answer job={} lane={} attempt={} of={} replica={}"
                + " cause={}",
            job.id(),
            job.lane(),
            job.run().attempt(),
            job.rules().maxAttempts(),
            context.replicaName(),
            StoreFailures.describe(failure));
      } else {
        log.warn(
            "failed job={} lane={} attempt={} of={} replica={}",
            job.id(),
            job.lane(),
            job.run().attempt(),
            job.rules().maxAttempts(),
            context.replicaName(),
            failure);
      }
    } catch (RuntimeException | Error e) {
      log.warn(
          "failed job={} lane={} replica={} by a {} that cannot be printed",
          job.id(),
          job.lane(),
          context.replicaName(),
          failure.getClass().getName());
    }
  }
}
