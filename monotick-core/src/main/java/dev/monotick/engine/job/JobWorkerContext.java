package dev.monotick.engine.job;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;

/**
 * What every part of a worker needs.
 *
 * @param replica who it is
 * @param replicaName what people call it
 * @param threads where code runs
 * @param time the clocks of this process
 * @param store the jobs
 */
public record JobWorkerContext(
    MemberId replica, String replicaName, EngineThreads threads, TimeSource time, JobStore store) {}
