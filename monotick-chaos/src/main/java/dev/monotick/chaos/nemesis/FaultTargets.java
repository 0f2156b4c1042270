package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.Fault.Passed;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.ReplicaLaunch;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who can be struck: one fault at a time for each replica, and one replica is always left alone, so
 * that there is somebody to take over. Also starts those again that are gone. Thread-safe.
 */
final class FaultTargets {

  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private final ReplicaCluster cluster;
  private final Journal journal;
  private final Set<String> places;
  private final Set<String> taken = new HashSet<>(); // guarded by this
  private final Set<String> started = new HashSet<>(); // guarded by this
  private final Map<String, Double> rates = new HashMap<>(); // guarded by this
  private int edition = 1; // guarded by this
  private int read; // guarded by this

  FaultTargets(ReplicaCluster cluster, Set<String> places) {
    this.cluster = cluster;
    this.journal = cluster.journal();
    this.places = Set.copyOf(places);
  }

  /** Takes any replica; give it back by {@link #release}. */
  ClusterMember takeAny(PlannedFault strike) throws Passed {
    return take(() -> pick(strike));
  }

  /** Takes the leader; give it back by {@link #release}. */
  ClusterMember takeLeader() throws Passed {
    return take(() -> cluster.leader().filter(this::isFree));
  }

  /** Returns the replicas at the places that are always filled. */
  List<ClusterMember> members() {
    return cluster.members().stream().filter(member -> places.contains(member.place())).toList();
  }

  /** Takes that replica, if nobody has; give it back by {@link #release}. */
  ClusterMember takeThis(String source) throws Passed {
    if (cluster.find(source).isEmpty()) {
      throw new Passed("it is gone");
    }
    return take(() -> cluster.find(source).filter(this::isFree));
  }

  /** Gives back what was taken. Starts it again if it is gone. */
  void release(ClusterMember member) {
    synchronized (this) {
      taken.remove(member.place());
    }
    revive();
  }

  /** Starts those again that are gone and not held by a fault. */
  synchronized void revive() {
    for (ClusterMember member : cluster.members()) {
      if (places.contains(member.place())
          && !taken.contains(member.place())
          && !member.process().isAlive()) {
        cluster.bury(member);
      }
    }
    for (String place : places) {
      boolean there = cluster.members().stream().anyMatch(member -> member.place().equals(place));
      if (!there && !taken.contains(place)) {
        cluster.launch(place, Optional.of(launchOf(place)));
      }
    }
  }

  /** Has the replica of a place be started with clocks of another speed from now on. */
  synchronized void rate(String place, double rate) {
    rates.put(place, rate);
  }

  /** Has replicas be started in the next edition of the program from now on; returns it. */
  synchronized int nextEdition() {
    edition++;
    return edition;
  }

  /** Returns how a replica of a place is started now. */
  synchronized ReplicaLaunch launchOf(String place) {
    return new ReplicaLaunch(place, rates.getOrDefault(place, 1.0), edition);
  }

  /** Says whether a replica has told that it started. */
  synchronized boolean hasStarted(ClusterMember member) {
    List<Journal.Entry> news = journal.since(read);
    read += news.size();
    for (Journal.Entry entry : news) {
      if (entry.is("started")) {
        started.add(entry.source());
      }
    }
    return started.contains(member.source());
  }

  private synchronized Optional<ClusterMember> pick(PlannedFault strike) {
    List<ClusterMember> free = cluster.members().stream().filter(this::isFree).toList();
    return free.isEmpty() ? Optional.empty() : Optional.of(free.get(strike.target() % free.size()));
  }

  private synchronized boolean isFree(ClusterMember member) {
    return places.contains(member.place())
        && !taken.contains(member.place())
        && member.process().isAlive()
        && hasStarted(member);
  }

  /** Finds one. */
  private interface TargetSelector {
    Optional<ClusterMember> choose();
  }

  private ClusterMember take(TargetSelector choice) throws Passed {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - deadline < 0) {
      synchronized (this) {
        if (taken.size() < places.size() - 1) {
          Optional<ClusterMember> chosen = choice.choose();
          if (chosen.isPresent()) {
            taken.add(chosen.get().place());
            return chosen.get();
          }
        }
      }
      Waiting.let(Duration.ofMillis(50));
    }
    throw new Passed("nobody to take");
  }
}
