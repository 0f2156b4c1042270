package dev.monotick.engine;

import dev.monotick.StopReport;
import dev.monotick.ledger.TickId;
import dev.monotick.thread.EngineThreads;
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
  private boolean gaveUp;
  private boolean handingOver;

  StopSequence(EngineLoop engine, CompletableFuture<StopReport> result) {
    this.engine = engine;
    this.threads = engine.context().threads();
    this.result = result;
  }

  void begin(Duration grace) {
    engine.beginStop();
    engine.bodies().whenEnded(this::look);
    threads.schedule(grace, this::graceIsOver);
    look();
  }

  private void graceIsOver() {
    if (!handingOver) {
      engine.bodies().cancel(run -> true, CancelReason.STOPPING);
      threads.schedule(AFTER_CANCEL, this::giveUp);
    }
  }

  private void giveUp() {
    gaveUp = true;
    look();
  }

  /** Goes on to the hand-over once bodies have ended and the ledger has heard of it. */
  private void look() {
    if (handingOver) {
      return;
    }
    boolean bodiesEnded = engine.bodies().running().isEmpty();
    if (gaveUp || (bodiesEnded && engine.isQuiet())) {
      handingOver = true;
      handOver(new ArrayList<>(engine.electors().values()));
    } else if (bodiesEnded) {
      threads.schedule(LOOK_EVERY, this::look);
    }
  }

  private void handOver(List<Elector> electors) {
    if (electors.isEmpty()) {
      leave();
      return;
    }
    Elector elector = electors.remove(electors.size() - 1);
    Term term = elector.term();
    boolean guardedWorkRuns =
        term != null && engine.bodies().anyRuns(run -> run.claimed().term() == term);
    if (guardedWorkRuns) {
      log.warn("leadership not released, its work still runs {}", term);
      elector.close();
      handOver(electors);
    } else {
      elector.release(
          () -> {
            elector.close();
            handOver(electors);
          });
    }
  }

  private void leave() {
    List<TickId> still = engine.bodies().running().stream().map(BodyRun::tick).distinct().toList();
    if (!still.isEmpty()) {
      log.warn("stopped with bodies that ignore their cancellation ticks={}", still);
    }
    boolean nothingIsOpen = still.isEmpty() && engine.isQuiet();
    engine.membership().close(nothingIsOpen, () -> result.complete(new StopReport(still)));
  }
}
