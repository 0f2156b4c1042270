package dev.monotick.postgres.difference;

import dev.monotick.job.JobId;
import dev.monotick.spi.job.JobRun;

/** A run, by the label of its job: a replica has it, had it, or never did. */
record Run(String label, int number, int attempt) {

  JobRun of(JobId id, Side side) {
    return new JobRun(id, number, side.attempt(label, number, attempt));
  }
}
