package dev.monotick.engine;

import dev.monotick.engine.job.JobWorker;
import dev.monotick.engine.leader.Elector;
import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.tick.BodyRun;
import dev.monotick.engine.tick.TickCancelReason;
import dev.monotick.job.JobId;
import dev.monotick.tick.TickId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A graceful stop: no new ticks; running bodies get the grace period, then they are cancelled and
 * get a little more; then leadership is released, and only where no guarded body runs any more.
 */
public final class StopSequence {

  private static final Logger log = LoggerFactory.getLogger(StopSequence.class);

  /** How long cancelled bodies may take to end, and the last reports to be answered. */
  private static final Duration AFTER_CANCEL = Duration.ofSeconds(5);

  private static final Duration CHECK_INTERVAL = Duration.ofMillis(10);

  /**
   * What ignored its cancellation.
   *
   * @param ticks ticks whose bodies still run
   * @param jobs jobs whose handlers still run
   */
  public record StillRunning(List<TickId> ticks, List<JobId> jobs) {}

  private final EngineLoop engine;
  private final EngineThreads threads;
  private final CompletableFuture<StillRunning> result;
  private final List<Elector> holding = new ArrayList<>();
  private int releasing;
  private boolean gaveUp;
  private boolean left;

  public StopSequence(EngineLoop engine, CompletableFuture<StillRunning> result) {
    this.engine = engine;
    this.threads = engine.context().threads();
    this.result = result;
  }

  public void begin(Duration grace) {
    engine.beginStop();
    holding.addAll(engine.electors().values());
    engine.bodies().whenEnded(this::check);
    threads.schedule(grace, this::graceIsOver);
    checkRepeatedly();
  }

  private void graceIsOver() {
    if (!left) {
      engine.bodies().cancel(run -> true, TickCancelReason.STOPPING);
      JobWorker worker = engine.worker();
      if (worker != null) {
        worker.stopHandlers();
      }
      threads.schedule(AFTER_CANCEL, this::giveUp);
    }
  }

  private void giveUp() {
    gaveUp = true;
    check();
  }

  private void checkRepeatedly() {
    check();
    if (!left) {
      threads.schedule(CHECK_INTERVAL, this::checkRepeatedly);
    }
  }

  /** Hands over what can be, and leaves once bodies have ended and the ledger has heard of it. */
  private void check() {
    if (left) {
      return;
    }
    for (Elector elector : List.copyOf(holding)) {
      release(elector);
    }
    boolean ended = engine.bodies().running().isEmpty() && engine.isQuiet() && engine.hasNoJobs();
    if (holding.isEmpty() && releasing == 0 && (ended || gaveUp)) {
      left = true;
      leave();
    }
  }

  /** A leadership does not wait for bodies that are not its own. */
  private void release(Elector elector) {
    HeldTerm term = elector.term();
    boolean workRuns = term != null && engine.bodies().anyRuns(run -> run.claimed().term() == term);
    // Reports on their way are work too: before they arrive, the next leader finds the tick open.
    if (term == null || (!workRuns && (gaveUp || engine.isQuiet()))) {
      holding.remove(elector);
      releasing++;
      elector.release(
          () -> {
            releasing--;
            elector.close();
            check();
          });
    } else if (gaveUp) {
      log.warn("leadership not released, its work still runs {}", term);
      holding.remove(elector);
      elector.close();
    }
  }

  private void leave() {
    List<TickId> still = engine.bodies().running().stream().map(BodyRun::tick).distinct().toList();
    if (!still.isEmpty()) {
      log.warn("stopped with bodies that ignore their cancellation ticks={}", still);
    }
    boolean nothingIsOpen = still.isEmpty() && engine.isQuiet() && engine.hasNoJobs();
    JobWorker worker = engine.worker();
    List<JobId> jobs = worker == null ? List.of() : worker.running();
    if (!jobs.isEmpty()) {
      log.warn("stopped with handlers that ignore their interrupt jobs={}", jobs);
    }
    if (!nothingIsOpen && still.isEmpty() && jobs.isEmpty()) {
      log.warn(
          "stopped with outcomes that the store did not record; they are lost with the process");
    }
    engine.membership().close(nothingIsOpen, () -> result.complete(new StillRunning(still, jobs)));
  }
}
