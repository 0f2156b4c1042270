package dev.monotick.engine.tick;

import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the ledger of a cluster says of a task, for assertions. */
public final class Rows {

  private Rows() {}

  /** Returns the rows, oldest first. */
  static List<TickRecord> of(SimulatedCluster cluster, String task) {
    List<TickRecord> rows = new ArrayList<>(cluster.store().ledger().history(task, 1000));
    Collections.reverse(rows);
    return rows;
  }

  static long count(SimulatedCluster cluster, String task, Outcome outcome) {
    return of(cluster, task).stream()
        .filter(row -> row.outcome() == outcome)
        .mapToLong(TickRecord::count)
        .sum();
  }

  static long skipped(SimulatedCluster cluster, String task, SkipReason reason) {
    return of(cluster, task).stream()
        .filter(row -> row.reason() == reason)
        .mapToLong(TickRecord::count)
        .sum();
  }

  /** Returns how many ticks of the schedule have a row. */
  static long total(SimulatedCluster cluster, String task) {
    return of(cluster, task).stream()
        .filter(row -> !row.tick().isTriggered())
        .mapToLong(TickRecord::count)
        .sum();
  }

  /** Returns the nominal times of the bodies that were started, in that order. */
  public static List<Instant> started(SimulatedCluster cluster, String task) {
    return cluster.runs().stream()
        .filter(run -> run.tick().task().equals(task))
        .map(run -> run.tick().nominal())
        .toList();
  }

  static void crashAll(SimulatedCluster cluster, int replicas) {
    for (int i = 0; i < replicas; i++) {
      cluster.crash(i);
    }
  }

  static void restartAll(SimulatedCluster cluster, int replicas) {
    for (int i = 0; i < replicas; i++) {
      cluster.restart(i);
    }
  }
}
