package dev.monotick.chaos.campaign;

import dev.monotick.chaos.cluster.Cluster;
import dev.monotick.chaos.cluster.Member;
import dev.monotick.chaos.history.Event;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.chaos.replica.Workload;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Somebody who pauses, resumes and triggers tasks all the time, by whichever replica, and asks
 * twice where that must do no harm. What it asks is told in the journal ({@code request}), and so
 * is what it is answered ({@code answered}). One thread.
 */
final class Editor implements Runnable {

  static final String SOURCE = "editor";

  private final Cluster cluster;
  private final SplittableRandom random;
  private volatile boolean over;
  private boolean paused;
  private int keys;

  Editor(Cluster cluster, SplittableRandom random) {
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
        ask((paused ? "pause " : "resume ") + Workload.PAUSED, 1);
      } else {
        keys++;
        ask("trigger " + Workload.ASKED + " k" + keys, 1 + random.nextInt(3));
      }
    }
  }

  /** Has whoever lives resume what may be paused. */
  void resumeAll() {
    ask("resume " + Workload.PAUSED, 1);
  }

  private void ask(String line, int times) {
    List<Member> members = List.copyOf(cluster.members());
    for (int i = 0; i < times && !members.isEmpty(); i++) {
      Member member = members.get(random.nextInt(members.size()));
      cluster.journal().add(SOURCE, Event.now("request", "whom", member.source(), "request", line));
      try {
        member.process().tell(line);
      } catch (UncheckedIOException e) {
        // It is gone; so is the request.
      }
    }
  }
}
