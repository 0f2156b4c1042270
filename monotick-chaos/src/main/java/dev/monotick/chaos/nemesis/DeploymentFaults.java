package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.nemesis.Nemesis.FaultLog;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.ReplicaLaunch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** What people do to a cluster: deployments, mistakes, too many of everything. */
final class DeploymentFaults extends FaultBase {

  private static final Duration STOP = Duration.ofSeconds(20);
  private static final Duration START = Duration.ofSeconds(30);
  private static final int CROWD = 6;

  /** One deployment at a time. */
  private final ReentrantLock deploying = new ReentrantLock();

  DeploymentFaults(FaultContext scene, FaultTargets targets, FaultLog told) {
    super(scene, targets, told);
  }

  @Override
  void addTo(Map<FaultKind, Fault> faults) {
    faults.put(FaultKind.ROLLING_RESTART, this::rollingRestart);
    faults.put(FaultKind.TWIN, strike -> more(strike, 1));
    faults.put(FaultKind.CROWD, strike -> more(strike, CROWD));
    faults.put(FaultKind.EDIT, this::edit);
    faults.put(FaultKind.POOL_EXHAUSTED, this::exhaust);
  }

  private void rollingRestart(PlannedFault strike) throws Exception {
    deploying.lock();
    try {
      log.strikes(strike, "");
      for (ClusterMember member : targets.members()) {
        restart(member);
      }
    } finally {
      deploying.unlock();
    }
  }

  /** Stops a replica as a deployment does, and waits for the next one at its place. */
  private void restart(ClusterMember old) throws Exception {
    ClusterMember member;
    try {
      member = targets.takeThis(old.source());
    } catch (Fault.Passed e) {
      return; // it has a fault already, or is gone
    }
    try {
      stop(member);
    } finally {
      targets.release(member);
    }
    Waiting.until(
        "start of " + member.place(),
        START,
        () ->
            cluster.members().stream()
                .anyMatch(next -> next.place().equals(member.place()) && targets.hasStarted(next)));
  }

  private void stop(ClusterMember member) {
    try {
      cluster.stop(member, STOP);
    } catch (IllegalStateException e) {
      cluster.kill(member); // as a deployment does with what does not stop
    }
  }

  /** Odd and even editions differ in the schedule of a task. */
  private void edit(PlannedFault strike) throws Exception {
    deploying.lock();
    try {
      log.strikes(strike, "");
      int edition = targets.nextEdition();
      for (ClusterMember member : targets.members()) {
        restart(member);
      }
      journal().add(ReplicaCluster.NEMESIS, HistoryEvent.now("edited", "edition", edition));
    } finally {
      deploying.unlock();
    }
  }

  /** Starts more replicas, which call themselves as others do, and kills them. */
  private void more(PlannedFault strike, int count) {
    log.strikes(strike, "");
    List<ClusterMember> members = new ArrayList<>();
    try {
      for (int i = 1; i <= count; i++) {
        ReplicaLaunch like = targets.launchOf("r" + i);
        members.add(cluster.launch("x" + strike.number() + "-" + i, Optional.of(like)));
      }
      let(leases(strike.between(3, 5)));
    } finally {
      members.forEach(cluster::kill);
    }
  }

  private void exhaust(PlannedFault strike) throws Exception {
    toLeader(
        strike,
        member -> {
          member.process().send("exhaust " + leases(2).toMillis());
          let(leases(2));
        });
  }
}
