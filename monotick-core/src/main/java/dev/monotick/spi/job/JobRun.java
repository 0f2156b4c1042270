package dev.monotick.spi.job;

import dev.monotick.job.JobId;

/**
 * One claim of a job: what happens to it is recorded once.
 *
 * @param id the job
 * @param number which claim of the job, from 1; grows with every claim, so it is the job's fence
 * @param attempt which attempt, from 1; claims that cost no attempt (handed back, snoozed, lost
 *     with their replica) do not count
 */
public record JobRun(JobId id, int number, int attempt) {}
