package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.nemesis.Nemesis.FaultLog;
import java.time.Duration;
import java.util.Map;
import java.util.Random;

/** Sets wall clocks, and has clocks run at other speeds. */
final class ClockFaults extends FaultBase {

  private static final int LONGEST_STEP_SECONDS = 288;
  private static final int STROBES = 12;

  ClockFaults(FaultContext scene, FaultTargets targets, FaultLog told) {
    super(scene, targets, told);
  }

  @Override
  void addTo(Map<FaultKind, Fault> faults) {
    faults.put(FaultKind.CLOCK_STEP, this::step);
    faults.put(FaultKind.CLOCK_STROBE, this::strobe);
    faults.put(FaultKind.CLOCK_RATE, strike -> rate(strike, strike.between(0.96, 1.04)));
    faults.put(
        FaultKind.CLOCK_RATE_BEYOND, strike -> rate(strike, strike.target() % 2 == 0 ? 0.8 : 1.25));
  }

  /** One hour, or something up to 288 s. */
  private void step(PlannedFault strike) throws Exception {
    toLeader(
        strike,
        member -> {
          int sign = strike.target() % 2 == 0 ? 1 : -1;
          Duration step =
              strike.size() < 0.4
                  ? Duration.ofHours(sign)
                  : Duration.ofSeconds(
                      (long) (sign * LONGEST_STEP_SECONDS * Math.pow(strike.size(), 3)) + sign);
          set(member, step);
          let(leases(2));
          set(member, Duration.ZERO);
        });
  }

  private void strobe(PlannedFault strike) throws Exception {
    toAny(
        strike,
        member -> {
          Random random = new Random(strike.target());
          for (int i = 0; i < STROBES; i++) {
            set(member, Duration.ofMillis(random.nextInt(-200_000, 200_000)));
            let(Duration.ofMillis(150));
          }
          set(member, Duration.ZERO);
        });
  }

  private void set(ClusterMember member, Duration offset) {
    journal()
        .add(
            ReplicaCluster.NEMESIS,
            HistoryEvent.now("clockSet", "whom", member.source(), "offset", offset));
    scene.clocks().set(member.place(), offset);
  }

  /** Clocks change their speed with a new start, and keep it until the next fault of this kind. */
  private void rate(PlannedFault strike, double rate) throws Exception {
    toAny(
        strike,
        member -> {
          targets.rate(member.place(), rate);
          cluster.kill(member);
        });
  }
}
