package dev.monotick.worker;

import dev.monotick.job.store.JobStore;
import dev.monotick.replica.ReplicaId;
import dev.monotick.thread.EngineThreads;
import dev.monotick.time.TimeSource;

/**
 * What every part of a worker needs.
 *
 * @param replica who it is
 * @param replicaName what people call it
 * @param threads where code runs
 * @param time the clocks of this process
 * @param store the jobs
 */
public record WorkerContext(
    ReplicaId replica,
    String replicaName,
    EngineThreads threads,
    TimeSource time,
    JobStore store) {}
