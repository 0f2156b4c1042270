package dev.monotick.chaos.nemesis;

import dev.monotick.chaos.cluster.ReplicaCluster;
import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.Journal;
import dev.monotick.chaos.nemesis.Fault.Passed;
import dev.monotick.chaos.process.Waiting;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Carries out a plan. Each fault has a thread of its own, so that they overlap as they like; what
 * was done is told in the journal: {@code fault} when it strikes, {@code healed} when it is over.
 */
public final class Nemesis implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Duration REVIVE = Duration.ofMillis(200);

  private final FaultContext scene;
  private final FaultTargets targets;
  private final Map<FaultKind, Fault> faults = new EnumMap<>(FaultKind.class);
  private final AtomicInteger struck = new AtomicInteger();
  private final AtomicInteger active = new AtomicInteger();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "fault");
            thread.setDaemon(true);
            return thread;
          });

  /** Creates one for replicas at those places. */
  public Nemesis(FaultContext scene, Set<String> places) {
    this.scene = scene;
    this.targets = new FaultTargets(scene.cluster(), places);
    new ProcessFaults(scene, targets, this::log).addTo(faults);
    new NetworkFaults(scene, targets, this::log).addTo(faults);
    new ServerFaults(scene, targets, this::log).addTo(faults);
    new ClockFaults(scene, targets, this::log).addTo(faults);
    new DeploymentFaults(scene, targets, this::log).addTo(faults);
  }

  /** Tells in the journal that a fault strikes somebody. */
  interface FaultLog {
    void strikes(PlannedFault strike, String whom);
  }

  /** Returns all that it can do on this machine. */
  public Set<FaultKind> kinds() {
    return EnumSet.copyOf(faults.keySet());
  }

  /** Carries a plan out; returns when the last fault is over, or does not come to its end. */
  public void carryOut(List<PlannedFault> plan) {
    long start = System.nanoTime();
    for (PlannedFault strike : plan) {
      while (System.nanoTime() - start < strike.at().toNanos()) {
        Waiting.let(
            Duration.ofNanos(
                Math.min(REVIVE.toNanos(), strike.at().toNanos() - (System.nanoTime() - start))));
        targets.revive();
      }
      active.incrementAndGet();
      threads.execute(() -> strike(strike));
    }
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (active.get() > 0 && System.nanoTime() - deadline < 0) {
      Waiting.let(REVIVE);
      targets.revive();
    }
    if (active.get() > 0) { // whoever heals the cluster undoes it
      journal().add(ReplicaCluster.NEMESIS, HistoryEvent.now("unended", "faults", active.get()));
    }
  }

  /** Starts replicas again that are gone. */
  public void revive() {
    targets.revive();
  }

  /** Returns how many faults have struck. */
  public int struck() {
    return struck.get();
  }

  /** Returns how many are under way. */
  public int active() {
    return active.get();
  }

  @Override
  public void close() {
    threads.shutdownNow();
    try {
      threads.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void strike(PlannedFault strike) {
    Fault fault = faults.get(strike.kind());
    try {
      if (fault == null) {
        throw new Passed("not possible here");
      }
      fault.strike(strike);
      journal().add(ReplicaCluster.NEMESIS, HistoryEvent.now("healed", "number", strike.number()));
    } catch (Passed e) {
      passed(strike, e);
    } catch (Exception e) {
      // A fault that could not be done, or not to its end, is no reason to stop: it is on record.
      passed(strike, e);
    } finally {
      active.decrementAndGet();
    }
  }

  private void passed(PlannedFault strike, Exception why) {
    journal()
        .add(
            ReplicaCluster.NEMESIS,
            HistoryEvent.now(
                "passed", "number", strike.number(), "fault", strike.kind().text(), "why", why));
  }

  private void log(PlannedFault strike, String whom) {
    struck.incrementAndGet();
    journal()
        .add(
            ReplicaCluster.NEMESIS,
            HistoryEvent.now(
                "fault", "number", strike.number(), "fault", strike.kind().text(), "whom", whom));
  }

  private Journal journal() {
    return scene.journal();
  }
}
