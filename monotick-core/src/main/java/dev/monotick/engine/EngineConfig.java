package dev.monotick.engine;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.spi.Store;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;

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
    MemberId replica,
    Store store,
    LeaderElection election,
    ReplicaSettings settings,
    TimeSource time,
    EngineThreads threads,
    MetricSink metrics,
    JobWork work) {}
