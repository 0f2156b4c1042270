package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.cluster.Standby;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.nemesis.Nemesis.FaultLog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** What may happen to the database. One at a time. */
final class ServerFaults extends FaultBase {

  private static final String SERVER = "server";
  private static final int STARTS = 5;

  private final ReentrantLock server = new ReentrantLock();

  ServerFaults(FaultContext scene, FaultTargets targets, FaultLog told) {
    super(scene, targets, told);
  }

  @Override
  void addTo(Map<FaultKind, Fault> faults) {
    faults.put(FaultKind.TERMINATE_ONE, strike -> terminate(strike, false));
    faults.put(FaultKind.TERMINATE_ALL, strike -> terminate(strike, true));
    if (scene.standby().isPresent()) {
      Standby standby = scene.standby().get();
      faults.put(FaultKind.FAILOVER, strike -> failOver(strike, standby));
      return; // with a standby it is about that alone
    }
    faults.put(FaultKind.SERVER_FREEZE, strike -> alone(strike, () -> freeze(strike)));
    faults.put(
        FaultKind.SERVER_KILL,
        strike ->
            alone(
                strike,
                () -> {
                  scene.server().kill();
                  let(leases(strike.between(0, 1.5)));
                  restart();
                }));
    faults.put(
        FaultKind.SERVER_RESTART,
        strike ->
            alone(
                strike,
                () -> {
                  scene.server().crash();
                  restart();
                }));
  }

  /** What is committed after the cut does not reach the standby; the cut outlives the lease. */
  private void failOver(PlannedFault strike, Standby standby) throws SQLException {
    server.lock();
    try {
      standby.cutOff();
      journal().add(ReplicaCluster.NEMESIS, HistoryEvent.now("standbyCutOff"));
      let(leases(strike.between(2, 4)));
      log.strikes(strike, SERVER);
      standby.takeOver();
    } finally {
      server.unlock();
    }
  }

  private void alone(PlannedFault strike, Runnable deed) {
    server.lock();
    try {
      log.strikes(strike, SERVER);
      deed.run();
    } finally {
      server.unlock();
    }
  }

  /** On a busy machine it may take more than one attempt; without a server there is no run. */
  private void restart() {
    for (int attempt = 1; ; attempt++) {
      try {
        scene.server().restart();
        return;
      } catch (RuntimeException e) {
        if (attempt == STARTS) {
          throw e;
        }
        let(Duration.ofSeconds(1));
      }
    }
  }

  private void freeze(PlannedFault strike) {
    List<Long> processes = scene.server().freeze();
    try {
      let(leases(strike.between(0.5, 3)));
    } finally {
      scene.server().thaw(processes);
    }
  }

  /** Ends sessions of the leader, which the server knows by the ports of its proxy. */
  private void terminate(PlannedFault strike, boolean all) throws Exception {
    toLeader(
        strike,
        member -> {
          if (all) {
            journal()
                .add(
                    ReplicaCluster.NEMESIS, HistoryEvent.now("terminate", "whom", member.source()));
          }
          end(member, all ? Integer.MAX_VALUE : 1, strike);
          let(Duration.ofMillis(500));
        });
  }

  private void end(ClusterMember member, int most, PlannedFault strike) throws SQLException {
    List<Integer> ports = member.network().serverPorts();
    if (ports.isEmpty()) {
      return;
    }
    List<Integer> chosen =
        most >= ports.size() ? ports : List.of(ports.get(strike.target() % ports.size()));
    try (Connection connection = scene.server().connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                    + " where client_port = any (?)")) {
      statement.setArray(1, connection.createArrayOf("integer", chosen.toArray()));
      statement.executeQuery().close();
    }
  }
}
