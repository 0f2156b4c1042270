package dev.monotick.job;

/**
 * What became of a draft.
 *
 * @param id the job
 * @param isNew false if there was a job with the same unique key already, which this is
 */
public record Enqueued(JobId id, boolean isNew) {}
