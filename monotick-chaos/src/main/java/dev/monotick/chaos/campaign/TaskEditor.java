package dev.monotick.chaos.campaign;

import dev.monotick.chaos.cluster.ClusterMember;
import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.TaskWorkload;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Somebody who pauses, resumes and triggers tasks all the time, by whichever replica, and asks
 * twice where that must do no harm. What it asks is told in the journal ({@code request}), and so
 * is what it is answered ({@code answered}). One thread.
 */
final class TaskEditor implements Runnable {

  static final String SOURCE = "editor";

  private final ReplicaCluster cluster;
  private final SplittableRandom random;
  private volatile boolean over;
  private boolean paused;
  private int keys;

  TaskEditor(ReplicaCluster cluster, SplittableRandom random) {
    this.cluster = cluster;
    this.random = random;
  }

  void stop() {
    over = true;
  }

  @Override
  public void run() {
    while (!over) {
      Waiting.let(Duration.ofMillis(1000 + random.nextInt(2000)));
      if (random.nextInt(100) < 50) {
        paused = !paused;
        ask((paused ? "pause " : "resume ") + TaskWorkload.PAUSED, 1);
      } else {
        keys++;
        ask("trigger " + TaskWorkload.REQUESTED + " k" + keys, 1 + random.nextInt(3));
      }
    }
  }

  /** Has whoever lives resume what may be paused. */
  void resumeAll() {
    ask("resume " + TaskWorkload.PAUSED, 1);
  }

  private void ask(String line, int times) {
    List<ClusterMember> members = List.copyOf(cluster.members());
    for (int i = 0; i < times && !members.isEmpty(); i++) {
      ClusterMember member = members.get(random.nextInt(members.size()));
      cluster
          .journal()
          .add(SOURCE, HistoryEvent.now("request", "whom", member.source(), "request", line));
      try {
        member.process().send(line);
      } catch (UncheckedIOException e) {
        // It is gone; so is the request.
      }
    }
  }
}
