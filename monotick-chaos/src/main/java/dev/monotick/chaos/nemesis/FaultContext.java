package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.cluster.Namespaces;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.cluster.Standby;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.process.ClockShim;
import dev.monotick.spi.replica.LeaseTiming;
import java.util.Optional;

/**
 * What a nemesis works on.
 *
 * @param cluster the replicas
 * @param server their database
 * @param sink where they have effects
 * @param clocks moves their wall clocks
 * @param namespaces the networks they live in; empty if this machine allows none
 * @param timing their leases
 * @param standby the database's standby, if it has one
 */
public record FaultContext(
    ReplicaCluster cluster,
    EmbeddedServer server,
    Sink sink,
    ClockShim clocks,
    Optional<Namespaces> namespaces,
    LeaseTiming timing,
    Optional<Standby> standby) {

  Journal journal() {
    return cluster.journal();
  }
}
