package dev.monotick.chaos.replica;

import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.event.EventListener;
import dev.monotick.event.MonotickEvent;
import dev.monotick.tick.TickId;

/** Tells what became of ticks on this replica. */
final class TickHistoryWriter implements EventListener {

  private final HistoryWriter teller;

  TickHistoryWriter(HistoryWriter teller) {
    this.teller = teller;
  }

  @Override
  public void on(MonotickEvent event) {
    if (event instanceof MonotickEvent.TickStarted started) {
      write("began", started.tick(), "attempt", started.attempt());
    } else if (event instanceof MonotickEvent.TickEnded ended) {
      write("ended", ended.tick(), "outcome", ended.outcome());
    } else if (event instanceof MonotickEvent.TickSkipped skipped) {
      write("skipped", skipped.tick(), "reason", skipped.reason());
    } else if (event instanceof MonotickEvent.TicksNotRun notRun) {
      teller.write(
          "notRun",
          "task",
          notRun.task(),
          "first",
          notRun.range().first(),
          "last",
          notRun.range().last(),
          "count",
          notRun.range().count(),
          "outcome",
          notRun.range().outcome());
    } else if (event instanceof MonotickEvent.ReportRefused refused) {
      write("refused", refused.tick(), "outcome", refused.outcome());
    } else if (event instanceof MonotickEvent.JobEndRefused refused) {
      teller.write("jobRefused", "job", refused.id(), "run", refused.run());
    } else if (event instanceof MonotickEvent.BodyStuck stuck) {
      write("stuck", stuck.tick(), "for", stuck.ignoredFor());
    } else if (event instanceof MonotickEvent.SlotWorkFailed failed) {
      write("slotFailed", failed.tick(), "failure", failed.failure());
    }
  }

  private void write(String kind, TickId tick, String name, Object value) {
    teller.write(kind, "task", tick.task(), "nominal", tick.nominal(), name, value);
  }
}
