package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.Fault.Passed;
import dev.monotick.chaos.nemesis.Nemesis.FaultLog;
import dev.monotick.chaos.process.Waiting;
import java.time.Duration;
import java.util.Map;

/** What all kinds of faults have in common. */
abstract class FaultBase {

  final FaultContext scene;
  final ReplicaCluster cluster;
  final FaultTargets targets;
  final FaultLog log;

  FaultBase(FaultContext scene, FaultTargets targets, FaultLog told) {
    this.scene = scene;
    this.cluster = scene.cluster();
    this.targets = targets;
    this.log = told;
  }

  /** Adds those that can be done on this machine. */
  abstract void addTo(Map<FaultKind, Fault> faults);

  /** Does something to a replica, and ends with it as it was. */
  interface FaultAction {
    void to(ClusterMember member) throws Exception;
  }

  /** Does something to the leader. */
  void toLeader(PlannedFault strike, FaultAction deed) throws Exception {
    to(targets.takeLeader(), strike, deed);
  }

  /** Does something to any replica. */
  void toAny(PlannedFault strike, FaultAction deed) throws Exception {
    to(targets.takeAny(strike), strike, deed);
  }

  private void to(ClusterMember member, PlannedFault strike, FaultAction deed) throws Exception {
    try {
      log.strikes(strike, member.source());
      deed.to(member);
    } finally {
      targets.release(member);
    }
  }

  /** Returns so many leases. */
  Duration leases(double number) {
    return Duration.ofNanos((long) (scene.timing().leaseDuration().toNanos() * number));
  }

  void let(Duration duration) {
    Waiting.let(duration);
  }

  Journal journal() {
    return scene.journal();
  }

  static Passed passed(String why) {
    return new Passed(why);
  }
}
