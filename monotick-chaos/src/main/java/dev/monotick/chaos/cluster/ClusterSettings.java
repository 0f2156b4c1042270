package dev.monotick.chaos.cluster;

import dev.monotick.chaos.replica.ReplicaTraits;
import dev.monotick.spi.replica.LeaseTiming;
import java.util.Optional;
import java.util.Set;

/**
 * What all replicas of a cluster have in common.
 *
 * @param schema schema in the database; also names the cluster
 * @param leadership how leaders are elected: a name that the store knows
 * @param portable whether the store must do without sessions
 * @param lease timing of leadership, empty for the default
 * @param membership timing of membership, empty for the default
 * @param tasks names of the tasks to run
 * @param traits what else they do
 */
public record ClusterSettings(
    String schema,
    String leadership,
    boolean portable,
    Optional<LeaseTiming> lease,
    Optional<LeaseTiming> membership,
    Set<String> tasks,
    ReplicaTraits traits) {}
