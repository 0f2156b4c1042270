package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.nemesis.Nemesis.FaultLog;
import dev.monotick.chaos.network.ProxyBehaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Cuts networks: by black holes between network namespaces where there are any, else by the proxy;
 * holds them up, slows them down, and cuts connections in the worst of moments.
 */
final class NetworkFaults extends FaultBase {

  private static final Duration LONGEST_CUT = Duration.ofSeconds(6);
  private static final int CUTS = 6;

  NetworkFaults(FaultContext scene, FaultTargets targets, FaultLog told) {
    super(scene, targets, told);
  }

  @Override
  void addTo(Map<FaultKind, Fault> faults) {
    faults.put(FaultKind.PARTITION, strike -> cutLeader(strike, ProxyBehaviour.CUT_BOTH_WAYS));
    faults.put(
        FaultKind.PARTITION_REQUESTS, strike -> cutLeader(strike, ProxyBehaviour.CUT_REQUESTS));
    faults.put(
        FaultKind.PARTITION_REPLIES, strike -> cutLeader(strike, ProxyBehaviour.CUT_REPLIES));
    faults.put(FaultKind.PARTITION_LATE, this::holdUp);
    faults.put(FaultKind.PARTITION_STRANDED, this::strand);
    faults.put(FaultKind.FLAP, this::flap);
    faults.put(FaultKind.DELAY, this::delay);
    faults.put(FaultKind.COMMIT_CUT, this::cutCommits);
  }

  private void cutLeader(PlannedFault strike, ProxyBehaviour link) throws Exception {
    toLeader(
        strike,
        member -> {
          set(member, link);
          let(leases(strike.between(1.5, 4)));
          set(member, ProxyBehaviour.PASSING);
        });
  }

  /** By the proxy, which delivers everything in the end. */
  private void holdUp(PlannedFault strike) throws Exception {
    toLeader(
        strike,
        member -> {
          cluster.set(member, ProxyBehaviour.CUT_BOTH_WAYS);
          let(leases(strike.between(1.5, 3)));
          cluster.set(member, ProxyBehaviour.PASSING);
        });
  }

  /** By the proxy: TCP waits longer and longer before it sends lost packets again. */
  private void strand(PlannedFault strike) throws Exception {
    toLeader(
        strike,
        member -> {
          member.network().strand();
          try {
            cluster.set(member, ProxyBehaviour.CUT_BOTH_WAYS);
            let(leases(strike.between(1.5, 3)));
            cluster.set(member, ProxyBehaviour.PASSING);
            let(leases(strike.between(0.5, 3)));
          } finally {
            member.network().release();
          }
        });
  }

  /** Cuts off all it can take, one after the other, and heals them in another order. */
  private void flap(PlannedFault strike) throws Exception {
    List<ClusterMember> members = new ArrayList<>();
    members.add(targets.takeAny(strike));
    try {
      log.strikes(strike, members.get(0).source());
      try {
        members.add(targets.takeAny(strike));
      } catch (Fault.Passed e) {
        // One is enough.
      }
      Random random = new Random(strike.target());
      for (int round = 0; round < 4; round++) {
        for (ClusterMember member : members) {
          set(
              member,
              random.nextBoolean() ? ProxyBehaviour.CUT_BOTH_WAYS : ProxyBehaviour.CUT_REPLIES);
          let(leases(random.nextDouble() * 0.4));
        }
        Collections.shuffle(members, random);
        for (ClusterMember member : members) {
          set(member, ProxyBehaviour.PASSING);
          let(leases(random.nextDouble() * 0.4));
        }
      }
    } finally {
      members.forEach(targets::release);
    }
  }

  private void delay(PlannedFault strike) throws Exception {
    toLeader(
        strike,
        member -> {
          long timeout = scene.timing().renewTimeout().toMillis();
          member
              .network()
              .delayReplies(Duration.ofMillis((long) (timeout * strike.between(0.5, 2))));
          let(leases(2));
          member.network().delayReplies(Duration.ZERO);
        });
  }

  /** Of all replicas, whoever commits something next: claims, ends, jobs, bodies. */
  private void cutCommits(PlannedFault strike) {
    log.strikes(strike, "");
    List<ClusterMember> members = List.copyOf(cluster.members());
    members.forEach(member -> member.network().cutAtCommit(sqls -> true, CUTS));
    let(LONGEST_CUT.dividedBy(2));
    int cut = members.stream().mapToInt(member -> member.network().cutAtCommit()).sum();
    members.forEach(member -> member.network().cutNoCommit());
    journal().add(ReplicaCluster.NEMESIS, HistoryEvent.now("commitsCut", "count", cut));
  }

  private void set(ClusterMember member, ProxyBehaviour link) {
    if (scene.namespaces().isPresent()) {
      journal()
          .add(
              ReplicaCluster.NEMESIS,
              HistoryEvent.now(
                  "network", "whom", member.source(), "link", link, "by", "black hole"));
      scene.namespaces().get().set(member.place(), link);
    } else {
      cluster.set(member, link);
    }
  }
}
