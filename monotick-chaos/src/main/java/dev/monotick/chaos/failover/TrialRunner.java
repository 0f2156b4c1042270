package dev.monotick.chaos.failover;

import dev.monotick.chaos.check.CheckScope;
import dev.monotick.chaos.check.Checker;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ClusterSettings;
import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.cluster.ReplicaEnvironment;
import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.network.ProxyBehaviour;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.ReplicaTraits;
import dev.monotick.chaos.replica.TaskWorkload;
import dev.monotick.chaos.sink.SinkEffect;
import dev.monotick.leader.Fence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** One cluster on which trials are made, one after the other. */
final class TrialRunner implements AutoCloseable {

  private static final String[] PLACES = {"r1", "r2", "r3"};
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Longer than any default renewal: the fault strikes at any distance from the last one. */
  private static final int PHASE_MILLIS = 2000;

  /**
   * Whoever lost leadership waits for a lease before it is a candidate again; a trial begins when
   * all followers are candidates, as they are in a cluster that had some rest.
   */
  private static final Duration REST = Duration.ofSeconds(9);

  private final Journal journal = new Journal();
  private final SplittableRandom random;
  private final Sink sink;
  private final ReplicaCluster cluster;
  private boolean rested = true;

  TrialRunner(String schema, String leadership, DatabaseServer server, Path folder) {
    this.random = new SplittableRandom(schema.hashCode());
    this.sink = new Sink(folder, journal);
    this.cluster =
        new ReplicaCluster(
            new ClusterSettings(
                schema,
                leadership,
                false,
                Optional.empty(),
                Optional.empty(),
                Set.of(TaskWorkload.LEADER),
                ReplicaTraits.TASKS),
            server,
            sink,
            journal,
            folder,
            place -> ReplicaEnvironment.plain());
    cluster.start(PLACES);
  }

  /** Makes one trial. */
  FailoverResults.Trial run(LeaderFault fault) {
    cluster.heal(PLACES);
    if (!rested) {
      Waiting.let(REST);
    }
    ClusterMember leader = cluster.awaitLeader(PATIENCE);
    awaitEffect(journal.mark(), new Fence(0, 0));
    Waiting.let(Duration.ofMillis(random.nextInt(PHASE_MILLIS)));

    int mark = journal.mark();
    long struck = strike(fault, leader, mark);
    Journal.Entry gained = cluster.awaitTakeover(leader, mark, PATIENCE);
    Journal.Entry effect = awaitEffect(mark, SinkEffect.fence(gained.event().get("fence")));
    rested = fault == LeaderFault.CRASH || fault == LeaderFault.GRACEFUL;
    return new FailoverResults.Trial(
        gained.event().nanos() - struck, effect.event().nanos() - struck);
  }

  /** Holds what was told so far against what is promised. */
  Findings check() {
    return Checker.check(CheckScope.ofTasks(), journal.all(), sink.effects(), List.of(), null);
  }

  @Override
  public void close() {
    cluster.close();
    sink.close();
  }

  private long strike(LeaderFault fault, ClusterMember leader, int mark) {
    return switch (fault) {
      case CRASH -> cluster.kill(leader);
      case GRACEFUL -> {
        cluster.stop(leader, PATIENCE);
        yield journal
            .await("stopping", PATIENCE, mark, entry -> entry.is("stopping"))
            .event()
            .nanos();
      }
      case PAUSE -> cluster.pause(leader);
      case PARTITION -> cluster.set(leader, ProxyBehaviour.CUT_BOTH_WAYS);
    };
  }

  /** Waits for an effect of the leader's task under that fence or a newer one. */
  private Journal.Entry awaitEffect(int mark, Fence oldest) {
    return journal.await(
        "effect under " + oldest,
        PATIENCE,
        mark,
        entry ->
            entry.is("effect")
                && entry.event().has("verdict", "ACCEPTED")
                && SinkEffect.fence(entry.event().get("fence")).compareTo(oldest) >= 0);
  }
}
