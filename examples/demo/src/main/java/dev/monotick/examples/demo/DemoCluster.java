package dev.monotick.examples.demo;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.event.MonotickEvent;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import dev.monotick.testkit.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Three replicas on one store, and what a spectator may do to them. Thread-safe. */
final class DemoCluster {

  /** How long bodies may run on when a replica is stopped. */
  static final Duration GRACE = Duration.ofSeconds(1);

  private static final List<String> NAMES = List.of("alpha", "bravo", "charlie");
  private static final Duration GRACE_AT_END = Duration.ofMillis(300);

  private final EventLog log;
  private final Narrator narrator;
  private final List<DemoReplica> replicas = new ArrayList<>();

  /**
   * Creates replicas that have not started.
   *
   * @param setUp adds to an engine what is not the same everywhere: metrics, and threads in tests
   */
  DemoCluster(
      TimeSource time,
      UnaryOperator<MonotickBuilder> setUp,
      List<Task> tasks,
      EventLog log,
      Narrator narrator) {
    this.log = log;
    this.narrator = narrator;
    InMemoryStore store = InMemoryStore.builder().time(time).build();
    for (String name : NAMES) {
      FaultyStore link = FaultyStore.to(store);
      replicas.add(
          new DemoReplica(
              name,
              link,
              () -> {
                MonotickBuilder builder =
                    Monotick.builder().store(link).replicaName(name).time(time);
                Monotick engine = setUp.apply(builder).build();
                engine.subscribe((MonotickEvent event) -> narrator.on(name, event));
                tasks.forEach(engine::register);
                return engine;
              }));
    }
  }

  List<DemoReplica> replicas() {
    return List.copyOf(replicas);
  }

  Narrator narrator() {
    return narrator;
  }

  void start() {
    replicas.forEach(DemoReplica::start);
  }

  /** Returns the replica that leads now. */
  Optional<DemoReplica> leader() {
    return replicas.stream().filter(replica -> replica.term().isPresent()).findFirst();
  }

  /** Stops the leader gracefully. */
  void stopLeader() {
    Optional<DemoReplica> found = leader();
    if (found.isEmpty()) {
      log.add("nobody leads right now, so there is no leader to stop");
      return;
    }
    DemoReplica leader = found.get();
    log.add("stopping " + leader.name() + ", the leader; its bodies get " + seconds(GRACE));
    narrator.disturbed(leader.name(), " was stopped");
    boolean clean = leader.stop(GRACE);
    log.add(leader.name() + (clean ? " stopped" : " stopped, but some bodies ignore it"));
  }

  /** Cuts the leader from the store, or connects again whoever is cut off. */
  void cutLeaderOrHeal() {
    Optional<DemoReplica> lost = replicas.stream().filter(DemoReplica::isCut).findFirst();
    if (lost.isPresent()) {
      lost.get().heal();
      log.add(lost.get().name() + " reaches the store again");
      return;
    }
    Optional<DemoReplica> leader = leader();
    if (leader.isEmpty()) {
      log.add("nobody leads right now, so there is no leader to cut off");
      return;
    }
    narrator.disturbed(leader.get().name(), " was cut off");
    leader.get().cut();
    log.add(leader.get().name() + ", the leader, is cut off from the store");
  }

  /** Starts all replicas that were stopped. */
  void restart() {
    List<DemoReplica> down = replicas.stream().filter(DemoReplica::isStopped).toList();
    if (down.isEmpty()) {
      log.add("all replicas run");
    }
    for (DemoReplica replica : down) {
      replica.heal();
      replica.start();
      log.add(replica.name() + " started again, as a new replica");
    }
  }

  /** Stops everything, the leader last so that nobody takes over for nothing. */
  boolean stop() {
    replicas.forEach(DemoReplica::heal);
    boolean clean = true;
    for (DemoReplica replica :
        replicas.stream()
            .sorted(Comparator.comparing((DemoReplica one) -> one.term().isPresent()))
            .toList()) {
      clean &= replica.stop(GRACE_AT_END);
    }
    return clean;
  }

  private static String seconds(Duration duration) {
    return duration.toSeconds() + " s to end";
  }
}
