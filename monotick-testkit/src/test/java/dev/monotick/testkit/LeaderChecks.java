package dev.monotick.testkit;

import dev.monotick.leader.Fence;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.testkit.Machine.Life;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** I1, I2, I7 and I10: who leads, by what the store granted and by what replicas believe. */
final class LeaderChecks {

  private final Simulation simulation;
  private final Findings findings;
  private final List<Held> held = new ArrayList<>();
  private @Nullable Fence newest;
  private @Nullable Life lastLeader;
  private boolean leaseHeld;
  private long leaseUntil; // by the store's ticker
  private int terms;
  private int termsWhenSettled = -1;

  /** A term as its replica sees it. */
  private record Held(Life process, LeaderTerm term) {}

  LeaderChecks(Simulation simulation) {
    this.simulation = simulation;
    this.findings = simulation.findings();
  }

  boolean isNewest(Fence fence) {
    return fence.equals(newest);
  }

  boolean isStale(Fence fence) {
    Fence known = newest;
    return known != null && known.isNewerThan(fence);
  }

  /** The store granted a term. */
  void granted(Life process, Fence fence) {
    Fence before = newest;
    findings.note(fence.epoch(), process.number);
    findings.require(
        before == null || fence.isNewerThan(before),
        "I1",
        () -> "fence " + fence + " was granted after " + before);
    findings.require(
        !leaseHeld || simulation.nanos() - leaseUntil >= 0,
        "I2",
        () -> "fence " + fence + " was granted while the lease of " + before + " was running");
    newest = fence;
    extend();
  }

  /** The store acknowledged a renewal. */
  void renewed(Life process, Fence fence) {
    findings.require(
        isNewest(fence) && leaseHeld && simulation.nanos() - leaseUntil < 0,
        "I2",
        () -> "the lease of " + fence + " was renewed for " + process + " after it had run out");
    extend();
  }

  /** The store freed a lease. */
  void released(Fence fence) {
    if (isNewest(fence)) {
      leaseHeld = false;
      findings.see(Seen.HAND_OVERS);
    }
  }

  private void extend() {
    leaseHeld = true;
    leaseUntil = simulation.nanos() + simulation.plan().timing.leaseDuration().toNanos();
  }

  /** A process is about to release its term. */
  void releases(Life process) {
    Fence released = process.standing.releases();
    findings.require(
        released == null || !simulation.ticks().runsIn(process, released),
        "I6",
        () -> process + " releases its term while work of it is running");
  }

  /** A process learnt that it leads. */
  void gained(Life process, LeaderTerm term) {
    findings.trace(() -> process + " leads " + term);
    held.add(new Held(process, term));
    terms++;
    if (lastLeader != null && lastLeader != process) {
      findings.see(Seen.TAKEOVERS);
    }
    lastLeader = process;
    findings.require(
        termsWhenSettled < 0,
        "I10",
        () -> "the leader changed to " + process + " although nothing had happened for long");
  }

  /** Called after everything that happens. */
  void check() {
    if (held.size() > 1) {
      requireOne();
    }
  }

  private void requireOne() {
    int valid = 0;
    for (int i = held.size() - 1; i >= 0; i--) {
      Held one = held.get(i);
      if (!one.process().threads.isAlive() || !one.term().isValid()) {
        held.remove(i);
      } else {
        valid++;
      }
    }
    if (valid > 1 && simulation.ratesAreWithinBound()) {
      findings.broken("I2", () -> "two replicas rely on a term: " + held);
    }
  }

  /** Returns the process that believes to lead, if one does. */
  @Nullable Life leader() {
    requireOne();
    return held.isEmpty() ? null : held.get(held.size() - 1).process();
  }

  int terms() {
    return terms;
  }

  /** By now somebody must lead, and go on to. */
  void settled() {
    findings.require(
        leader() != null, "I10", () -> "nobody leads although all has been well for long");
    termsWhenSettled = terms;
  }
}
