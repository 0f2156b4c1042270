package dev.monotick.chaos.campaign;

import java.time.Duration;

/**
 * What a run is to be.
 *
 * @param lasting for how long faults strike
 * @param seed what they follow from
 * @param backend how the database is used
 * @param replicas how many
 * @param control whether ledger and fence are switched off
 * @param replication what kind of standby the database has, and fails over to in the middle
 */
public record ChaosSettings(
    Duration lasting,
    long seed,
    Backend backend,
    int replicas,
    boolean control,
    Replication replication) {}
