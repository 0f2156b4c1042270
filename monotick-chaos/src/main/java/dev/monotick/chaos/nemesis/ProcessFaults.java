package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.Nemesis.FaultLog;
import dev.monotick.chaos.process.Signals;
import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** Kills and pauses, also where it hurts most. */
final class ProcessFaults extends FaultBase {

  private static final Duration PATIENCE = Duration.ofSeconds(12);

  /** The part of each tenth of a second that a starved process runs. */
  private static final Duration RUNS = Duration.ofMillis(5);

  private static final Duration STANDS = Duration.ofMillis(95);

  /** The sink holds up one announcement of a task at a time. */
  private final ReentrantLock holding = new ReentrantLock();

  ProcessFaults(FaultContext scene, FaultTargets targets, FaultLog told) {
    super(scene, targets, told);
  }

  @Override
  void addTo(Map<FaultKind, Fault> faults) {
    faults.put(FaultKind.KILL, strike -> toAny(strike, cluster::kill));
    faults.put(FaultKind.KILL_LEADER, strike -> toLeader(strike, cluster::kill));
    faults.put(FaultKind.KILL_MID_EFFECT, this::killMidEffect);
    faults.put(FaultKind.KILL_MID_CLAIM, this::killMidClaim);
    faults.put(FaultKind.PAUSE_SHORT, strike -> pauseLeader(strike, 0.9));
    faults.put(FaultKind.PAUSE_LEASE, strike -> pauseLeader(strike, 1.1));
    faults.put(FaultKind.PAUSE_LONG, strike -> pauseLeader(strike, 3));
    faults.put(
        FaultKind.PAUSE_VERY_LONG, strike -> toAny(strike, member -> pause(member, leases(10))));
    faults.put(FaultKind.PAUSE_BEFORE_EFFECT, this::pauseBeforeEffect);
    faults.put(FaultKind.STARVE, strike -> toAny(strike, member -> starve(member, strike)));
  }

  private void pauseLeader(PlannedFault strike, double leases) throws Exception {
    toLeader(strike, member -> pause(member, leases(leases)));
  }

  private void pause(ClusterMember member, Duration lasting) {
    cluster.pause(member);
    let(lasting);
    cluster.resume(member);
  }

  /** Kills the leader, whose body has looked and not acted yet. */
  private void killMidEffect(PlannedFault strike) throws Exception {
    Held held = hold(TaskWorkload.LEADER);
    try {
      log.strikes(strike, held.member().source());
      cluster.kill(held.member());
    } finally {
      letGo(held);
    }
  }

  /**
   * Stops the leader, whose body has looked and not acted yet; lets it go on when another replica
   * leads and has acted.
   */
  private void pauseBeforeEffect(PlannedFault strike) throws Exception {
    Held held = hold(TaskWorkload.LEADER);
    boolean paused = false;
    try {
      log.strikes(strike, held.member().source());
      cluster.pause(held.member());
      paused = true;
      scene.sink().release(TaskWorkload.LEADER);
      Optional<Journal.Entry> acted =
          journal()
              .find(
                  leases(8),
                  held.mark(),
                  entry ->
                      entry.is("effect")
                          && entry.event().has("task", TaskWorkload.LEADER)
                          && entry.event().has("verdict", "ACCEPTED")
                          && !entry.event().has("replica", held.member().source()));
      let(acted.isPresent() ? Duration.ofMillis(100) : leases(1));
    } finally {
      if (paused) {
        cluster.resume(held.member());
      }
      letGo(held);
    }
  }

  /** A body that waits between looking and acting, and its replica, which is taken. */
  private record Held(ClusterMember member, int mark) {}

  private Held hold(String task) throws Exception {
    holding.lock();
    boolean done = false;
    int mark = journal().mark();
    try {
      scene.sink().hold(task);
      HistoryEvent held = scene.sink().awaitHeld(task, mark, PATIENCE);
      ClusterMember member = targets.takeThis(held.get("replica"));
      done = true;
      return new Held(member, mark);
    } catch (IllegalStateException e) {
      throw passed("nobody came to act");
    } finally {
      if (!done) {
        scene.sink().release(task);
        holding.unlock();
      }
    }
  }

  private void letGo(Held held) {
    try {
      scene.sink().release(TaskWorkload.LEADER);
    } finally {
      holding.unlock();
      targets.release(held.member());
    }
  }

  /** Kills a replica when the COMMIT of a claim has left it, and has not reached the server. */
  private void killMidClaim(PlannedFault strike) throws Exception {
    toAny(
        strike,
        member -> {
          String claims = "insert into \"" + cluster.settings().schema() + "\".tick ";
          member
              .network()
              .cutAtCommit(
                  sqls -> {
                    boolean claim = sqls.stream().anyMatch(sql -> sql.contains(claims));
                    if (claim) {
                      Signals.send("KILL", member.process().pid());
                    }
                    return claim;
                  },
                  1);
          long deadline = System.nanoTime() + PATIENCE.toNanos();
          while (member.process().isAlive() && System.nanoTime() - deadline < 0) {
            let(Duration.ofMillis(10));
          }
          cluster.kill(member); // it is dead already, or had nothing to claim
        });
  }

  private void starve(ClusterMember member, PlannedFault strike) {
    long end = System.nanoTime() + leases(strike.between(1, 3)).toNanos();
    log("starve", member);
    while (System.nanoTime() - end < 0 && member.process().isAlive()) {
      member.process().pause();
      let(STANDS);
      member.process().resume();
      let(RUNS);
    }
    log("starved", member);
  }

  private void log(String what, ClusterMember member) {
    journal().add(ReplicaCluster.NEMESIS, HistoryEvent.now(what, "whom", member.source()));
  }
}
