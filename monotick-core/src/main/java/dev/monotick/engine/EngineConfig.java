package dev.monotick.engine;

import dev.monotick.Settings;
import dev.monotick.leader.LeaderElection;
import dev.monotick.metric.MetricSink;
import dev.monotick.replica.ReplicaId;
import dev.monotick.store.Store;
import dev.monotick.thread.EngineThreads;
import dev.monotick.time.TimeSource;

/**
 * What an engine is made of; the builder has checked it.
 *
 * @param replica identity of this start
 * @param store ledger and registry
 * @param election who leads
 * @param settings what was configured
 * @param time the clocks
 * @param threads where code runs
 * @param metrics who takes the figures
 * @param work what jobs it runs, and how
 */
public record EngineConfig(
    ReplicaId replica,
    Store store,
    LeaderElection election,
    Settings settings,
    TimeSource time,
    EngineThreads threads,
    MetricSink metrics,
    JobWork work) {}
