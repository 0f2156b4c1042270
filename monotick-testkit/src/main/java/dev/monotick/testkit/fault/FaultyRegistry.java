package dev.monotick.testkit.fault;

import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A registry seen through a link. */
final class FaultyRegistry implements MemberRegistry {

  private final MemberRegistry registry;
  private final FaultInjector faults;

  FaultyRegistry(MemberRegistry registry, FaultInjector gate) {
    this.registry = registry;
    this.faults = gate;
  }

  @Override
  public LeaseTiming timing() {
    return registry.timing();
  }

  @Override
  public boolean join(MemberInfo replica, boolean alone, Set<MemberId> former) {
    return faults.call("join", () -> registry.join(replica, alone, former));
  }

  @Override
  public Optional<List<MemberInfo>> heartbeat(MemberId replica) {
    return faults.call("beat", () -> registry.heartbeat(replica));
  }

  @Override
  public void update(MemberInfo replica) {
    faults.run("update", () -> registry.update(replica));
  }

  @Override
  public void leave(MemberId replica) {
    faults.run("leave", () -> registry.leave(replica));
  }

  @Override
  public List<MemberInfo> live() {
    return faults.call("live", registry::live);
  }
}
