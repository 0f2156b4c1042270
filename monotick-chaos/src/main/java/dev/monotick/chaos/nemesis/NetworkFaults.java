package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.Cluster;
import dev.monotick.chaos.cluster.Member;
import dev.monotick.chaos.history.Event;
import dev.monotick.chaos.nemesis.Nemesis.Told;
import dev.monotick.chaos.network.Link;
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
final class NetworkFaults extends Faults {

  private static final Duration LONGEST_CUT = Duration.ofSeconds(6);
  private static final int CUTS = 6;

  NetworkFaults(Scene scene, Targets targets, Told told) {
    super(scene, targets, told);
  }

  @Override
  void addTo(Map<FaultKind, Fault> faults) {
    faults.put(FaultKind.PARTITION, strike -> cutLeader(strike, Link.CUT_BOTH_WAYS));
    faults.put(FaultKind.PARTITION_REQUESTS, strike -> cutLeader(strike, Link.CUT_REQUESTS));
    faults.put(FaultKind.PARTITION_REPLIES, strike -> cutLeader(strike, Link.CUT_REPLIES));
    faults.put(FaultKind.PARTITION_LATE, this::holdUp);
    faults.put(FaultKind.PARTITION_STRANDED, this::strand);
    faults.put(FaultKind.FLAP, this::flap);
    faults.put(FaultKind.DELAY, this::delay);
    faults.put(FaultKind.COMMIT_CUT, this::cutCommits);
  }

  private void cutLeader(Strike strike, Link link) throws Exception {
    toLeader(
        strike,
        member -> {
          set(member, link);
          let(leases(strike.between(1.5, 4)));
          set(member, Link.PASSING);
        });
  }

  /** By the proxy, which delivers everything in the end. */
  private void holdUp(Strike strike) throws Exception {
    toLeader(
        strike,
        member -> {
          cluster.set(member, Link.CUT_BOTH_WAYS);
          let(leases(strike.between(1.5, 3)));
          cluster.set(member, Link.PASSING);
        });
  }

  /** By the proxy: TCP waits longer and longer before it sends lost packets again. */
  private void strand(Strike strike) throws Exception {
    toLeader(
        strike,
        member -> {
          member.network().strand();
          try {
            cluster.set(member, Link.CUT_BOTH_WAYS);
            let(leases(strike.between(1.5, 3)));
            cluster.set(member, Link.PASSING);
            let(leases(strike.between(0.5, 3)));
          } finally {
            member.network().release();
          }
        });
  }

  /** Cuts off all it can take, one after the other, and heals them in another order. */
  private void flap(Strike strike) throws Exception {
    List<Member> members = new ArrayList<>();
    members.add(targets.takeAny(strike));
    try {
      told.strikes(strike, members.get(0).source());
      try {
        members.add(targets.takeAny(strike));
      } catch (Fault.Passed e) {
        // One is enough.
      }
      Random random = new Random(strike.target());
      for (int round = 0; round < 4; round++) {
        for (Member member : members) {
          set(member, random.nextBoolean() ? Link.CUT_BOTH_WAYS : Link.CUT_REPLIES);
          let(leases(random.nextDouble() * 0.4));
        }
        Collections.shuffle(members, random);
        for (Member member : members) {
          set(member, Link.PASSING);
          let(leases(random.nextDouble() * 0.4));
        }
      }
    } finally {
      members.forEach(targets::release);
    }
  }

  private void delay(Strike strike) throws Exception {
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
  private void cutCommits(Strike strike) {
    told.strikes(strike, "");
    List<Member> members = List.copyOf(cluster.members());
    members.forEach(member -> member.network().cutAtCommit(sqls -> true, CUTS));
    let(LONGEST_CUT.dividedBy(2));
    int cut = members.stream().mapToInt(member -> member.network().cutAtCommit()).sum();
    members.forEach(member -> member.network().cutNoCommit());
    journal().add(Cluster.NEMESIS, Event.now("commitsCut", "count", cut));
  }

  private void set(Member member, Link link) {
    if (scene.namespaces().isPresent()) {
      journal()
          .add(
              Cluster.NEMESIS,
              Event.now("network", "whom", member.source(), "link", link, "by", "black hole"));
      scene.namespaces().get().set(member.place(), link);
    } else {
      cluster.set(member, link);
    }
  }
}
