package dev.monotick.chaos.failover;

import dev.monotick.chaos.check.Checker;
import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.check.Scope;
import dev.monotick.chaos.cluster.Cluster;
import dev.monotick.chaos.cluster.ClusterSettings;
import dev.monotick.chaos.cluster.DatabaseServer;
import dev.monotick.chaos.cluster.Member;
import dev.monotick.chaos.cluster.Sink;
import dev.monotick.chaos.cluster.Surroundings;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.network.Link;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.Traits;
import dev.monotick.chaos.replica.Workload;
import dev.monotick.chaos.sink.Effect;
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
  private final Cluster cluster;
  private boolean rested = true;

  TrialRunner(String schema, String leadership, DatabaseServer server, Path folder) {
    this.random = new SplittableRandom(schema.hashCode());
    this.sink = new Sink(folder, journal);
    this.cluster =
        new Cluster(
            new ClusterSettings(
                schema,
                leadership,
                false,
                Optional.empty(),
                Optional.empty(),
                Set.of(Workload.LEADER),
                Traits.TASKS),
            server,
            sink,
            journal,
            folder,
            place -> Surroundings.plain());
    cluster.start(PLACES);
  }

  /** Makes one trial. */
  Results.Trial run(Fault fault) {
    cluster.heal(PLACES);
    if (!rested) {
      Waiting.let(REST);
    }
    Member leader = cluster.awaitLeader(PATIENCE);
    awaitEffect(journal.mark(), new Fence(0, 0));
    Waiting.let(Duration.ofMillis(random.nextInt(PHASE_MILLIS)));

    int mark = journal.mark();
    long struck = strike(fault, leader, mark);
    Journal.Entry gained = cluster.awaitTakeover(leader, mark, PATIENCE);
    Journal.Entry effect = awaitEffect(mark, Effect.fence(gained.event().get("fence")));
    rested = fault == Fault.CRASH || fault == Fault.GRACEFUL;
    return new Results.Trial(gained.event().nanos() - struck, effect.event().nanos() - struck);
  }

  /** Holds what was told so far against what is promised. */
  Findings check() {
    return Checker.check(Scope.ofTasks(), journal.all(), sink.effects(), List.of(), null);
  }

  @Override
  public void close() {
    cluster.close();
    sink.close();
  }

  private long strike(Fault fault, Member leader, int mark) {
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
      case PARTITION -> cluster.set(leader, Link.CUT_BOTH_WAYS);
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
                && Effect.fence(entry.event().get("fence")).compareTo(oldest) >= 0);
  }
}
