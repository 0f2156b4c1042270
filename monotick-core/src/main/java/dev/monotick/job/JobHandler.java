package dev.monotick.job;

/**
 * Does the work of jobs of one kind. Called by many threads at a time.
 *
 * @param <P> type of the payload
 */
@FunctionalInterface
public interface JobHandler<P> {

  /**
   * Runs one attempt.
   *
   * @return what to make of it; {@link JobOutcome#done()} if all went well
   * @throws Exception counts as a failed attempt
   */
  JobOutcome run(JobContext<P> job) throws Exception;
}
