package dev.monotick.engine;

import dev.monotick.StopReport;
import dev.monotick.job.JobId;
import dev.monotick.ledger.TickId;
import dev.monotick.thread.EngineThreads;
import dev.monotick.worker.JobWorker;
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
final class StopSequence {

  private static final Logger log = LoggerFactory.getLogger(StopSequence.class);

  /** How long cancelled bodies may take to end, and the last reports to be answered. */
  private static final Duration AFTER_CANCEL = Duration.ofSeconds(5);

  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  private final EngineLoop engine;
  private final EngineThreads threads;
  private final CompletableFuture<StopReport> result;
  private final List<Elector> holding = new ArrayList<>();
  private int releasing;
  private boolean gaveUp;
  private boolean left;

  StopSequence(EngineLoop engine, CompletableFuture<StopReport> result) {
    this.engine = engine;
    this.threads = engine.context().threads();
    this.result = result;
  }

  void begin(Duration grace) {
    engine.beginStop();
    holding.addAll(engine.electors().values());
    engine.bodies().whenEnded(this::look);
    threads.schedule(grace, this::graceIsOver);
    keepLooking();
  }

  private void graceIsOver() {
    if (!left) {
      engine.bodies().cancel(run -> true, CancelReason.STOPPING);
      JobWorker worker = engine.worker();
      if (worker != null) {
        worker.stopHandlers();
      }
      threads.schedule(AFTER_CANCEL, this::giveUp);
    }
  }

  private void giveUp() {
    gaveUp = true;
    look();
  }

  private void keepLooking() {
    look();
    if (!left) {
      threads.schedule(LOOK_EVERY, this::keepLooking);
    }
  }

  /** Hands over what can be, and leaves once bodies have ended and the ledger has heard of it. */
  private void look() {
    if (left) {
      return;
    }
    for (Elector elector : List.copyOf(holding)) {
      handOver(elector);
    }
    boolean ended = engine.bodies().running().isEmpty() && engine.isQuiet() && engine.hasNoJobs();
    if (holding.isEmpty() && releasing == 0 && (ended || gaveUp)) {
      left = true;
      leave();
    }
  }

  /** A leadership does not wait for bodies that are not its own. */
  private void handOver(Elector elector) {
    Term term = elector.term();
    boolean workRuns = term != null && engine.bodies().anyRuns(run -> run.claimed().term() == term);
    // Reports on their way are work too: before they arrive, the next leader finds the tick open.
    if (term == null || (!workRuns && (gaveUp || engine.isQuiet()))) {
      holding.remove(elector);
      releasing++;
      elector.release(
          () -> {
            releasing--;
            elector.close();
            look();
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
    engine.membership().close(nothingIsOpen, () -> result.complete(new StopReport(still, jobs)));
  }
}
