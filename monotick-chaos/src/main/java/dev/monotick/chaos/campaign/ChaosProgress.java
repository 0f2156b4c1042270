package dev.monotick.chaos.campaign;

import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.history.WallClock;
import dev.monotick.chaos.nemesis.Nemesis;
import dev.monotick.chaos.process.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Says every few seconds how far a run is, and has the journal tell the time. One thread. */
final class ChaosProgress implements Runnable {

  private static final int SECONDS_BETWEEN = 5;

  private final Journal journal;
  private final Nemesis nemesis;
  private final Duration lasting;
  private final Consumer<String> out;
  private final long start = System.nanoTime();
  private volatile boolean over;
  private int read;
  private long effects;
  private long refused;
  private long jobs;
  private long takeovers;
  private @Nullable String leader;

  ChaosProgress(Journal journal, Nemesis nemesis, Duration lasting, Consumer<String> out) {
    this.journal = journal;
    this.nemesis = nemesis;
    this.lasting = lasting;
    this.out = out;
  }

  void stop() {
    over = true;
  }

  @Override
  public void run() {
    for (int second = 1; !over; second++) {
      Waiting.let(Duration.ofSeconds(1));
      journal.add(ReplicaCluster.NEMESIS, WallClock.now());
      if (second % SECONDS_BETWEEN == 0) {
        read();
        out.accept(line());
      }
    }
  }

  private String line() {
    return Duration.ofNanos(System.nanoTime() - start).toSeconds()
        + "/"
        + lasting.toSeconds()
        + " s: effects "
        + effects
        + ", jobs "
        + jobs
        + ", faults "
        + nemesis.struck()
        + " ("
        + nemesis.active()
        + " now), takeovers "
        + takeovers
        + ", refused "
        + refused
        + ", leader "
        + (leader == null ? "none" : leader);
  }

  private void read() {
    List<Journal.Entry> news = journal.since(read);
    read += news.size();
    for (Journal.Entry entry : news) {
      switch (entry.event().kind()) {
        case "effect" -> {
          effects++;
          refused += entry.event().has("verdict", "STALE") ? 1 : 0;
        }
        case "added" -> jobs++;
        case "gained" -> {
          takeovers += leader != null && !Objects.equals(leader, entry.source()) ? 1 : 0;
          leader = entry.source();
        }
        default -> {}
      }
    }
  }
}
