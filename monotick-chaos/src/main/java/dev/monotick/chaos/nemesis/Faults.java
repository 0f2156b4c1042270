package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.Cluster;
import dev.monotick.chaos.cluster.Member;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.Fault.Passed;
import dev.monotick.chaos.nemesis.Nemesis.Told;
import dev.monotick.chaos.process.Waiting;
import java.time.Duration;
import java.util.Map;

/** What all kinds of faults have in common. */
abstract class Faults {

  final Scene scene;
  final Cluster cluster;
  final Targets targets;
  final Told told;

  Faults(Scene scene, Targets targets, Told told) {
    this.scene = scene;
    this.cluster = scene.cluster();
    this.targets = targets;
    this.told = told;
  }

  /** Adds those that can be done on this machine. */
  abstract void addTo(Map<FaultKind, Fault> faults);

  /** Does something to a replica, and ends with it as it was. */
  interface Deed {
    void to(Member member) throws Exception;
  }

  /** Does something to the leader. */
  void toLeader(Strike strike, Deed deed) throws Exception {
    to(targets.takeLeader(), strike, deed);
  }

  /** Does something to any replica. */
  void toAny(Strike strike, Deed deed) throws Exception {
    to(targets.takeAny(strike), strike, deed);
  }

  private void to(Member member, Strike strike, Deed deed) throws Exception {
    try {
      told.strikes(strike, member.source());
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
