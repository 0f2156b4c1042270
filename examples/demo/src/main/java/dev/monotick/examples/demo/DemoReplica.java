package dev.monotick.examples.demo;

import dev.monotick.Monotick;
import dev.monotick.StopReport;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import dev.monotick.testkit.fault.FaultyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One replica, which can be stopped, cut off and started again. Thread-safe. */
final class DemoReplica {

  private final String name;
  private final FaultyStore link;
  private final Supplier<Monotick> newEngine;
  // All guarded by this.
  private @Nullable Monotick engine;
  private boolean stopping;
  private boolean cut;

  DemoReplica(String name, FaultyStore link, Supplier<Monotick> newEngine) {
    this.name = name;
    this.link = link;
    this.newEngine = newEngine;
  }

  String name() {
    return name;
  }

  /** Starts an engine, unless one runs. */
  void start() {
    Monotick fresh;
    synchronized (this) {
      if (engine != null) {
        return;
      }
      fresh = newEngine.get();
      engine = fresh;
    }
    fresh.start();
  }

  /** Stops the engine and waits for that; true if all bodies ended. */
  boolean stop(Duration grace) {
    Monotick last;
    synchronized (this) {
      last = engine;
      if (last == null) {
        return true;
      }
      stopping = true;
    }
    StopReport report = last.stop(grace);
    synchronized (this) {
      engine = null;
      stopping = false;
    }
    return report.isClean();
  }

  synchronized void cut() {
    link.cut();
    cut = true;
  }

  synchronized void heal() {
    link.heal();
    cut = false;
  }

  synchronized boolean isCut() {
    return cut;
  }

  synchronized boolean isStopped() {
    return engine == null;
  }

  /** Returns the term, if this replica leads. */
  synchronized Optional<LeaderTerm> term() {
    Monotick asked = answering();
    return asked == null ? Optional.empty() : asked.leadership(Task.DEFAULT_GROUP);
  }

  /** Returns the tasks as this replica sees them, none while it is down. */
  synchronized List<TaskStatus> tasks() {
    Monotick asked = answering();
    return asked == null ? List.of() : asked.tasks();
  }

  /** Returns how it is doing. */
  synchronized ClusterView.ReplicaRow row() {
    Optional<LeaderTerm> term = term();
    ClusterView.State state = ClusterView.State.FOLLOWS;
    if (engine == null) {
      state = ClusterView.State.STOPPED;
    } else if (stopping) {
      state = ClusterView.State.STOPPING;
    } else if (term.isPresent()) {
      state = ClusterView.State.LEADS;
    }
    return new ClusterView.ReplicaRow(
        name,
        state,
        cut,
        term.map(LeaderTerm::fence).orElse(null),
        term.map(LeaderTerm::validFor).orElse(Duration.ZERO));
  }

  /** An engine that is being stopped may never answer: it is not asked. */
  private @Nullable Monotick answering() {
    return stopping ? null : engine;
  }
}
