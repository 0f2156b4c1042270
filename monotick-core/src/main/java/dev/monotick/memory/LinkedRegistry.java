package dev.monotick.memory;

import dev.monotick.leader.LeaseTiming;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.replica.ReplicaRegistry;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A registry seen through a link. */
final class LinkedRegistry implements ReplicaRegistry {

  private final ReplicaRegistry registry;
  private final LinkGate gate;

  LinkedRegistry(ReplicaRegistry registry, LinkGate gate) {
    this.registry = registry;
    this.gate = gate;
  }

  @Override
  public LeaseTiming timing() {
    return registry.timing();
  }

  @Override
  public boolean join(ReplicaInfo replica, boolean alone, Set<ReplicaId> former) {
    return gate.call("join", () -> registry.join(replica, alone, former));
  }

  @Override
  public Optional<List<ReplicaInfo>> beat(ReplicaId replica) {
    return gate.call("beat", () -> registry.beat(replica));
  }

  @Override
  public void update(ReplicaInfo replica) {
    gate.run("update", () -> registry.update(replica));
  }

  @Override
  public void leave(ReplicaId replica) {
    gate.run("leave", () -> registry.leave(replica));
  }

  @Override
  public List<ReplicaInfo> live() {
    return gate.call("live", registry::live);
  }
}
