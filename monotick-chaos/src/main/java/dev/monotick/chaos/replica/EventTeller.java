package dev.monotick.chaos.replica;

import dev.monotick.chaos.history.Teller;
import dev.monotick.event.EventListener;
import dev.monotick.event.MonotickEvent;
import dev.monotick.ledger.TickId;

/** Tells what became of ticks on this replica. */
final class EventTeller implements EventListener {

  private final Teller teller;

  EventTeller(Teller teller) {
    this.teller = teller;
  }

  @Override
  public void on(MonotickEvent event) {
    if (event instanceof MonotickEvent.TickStarted started) {
      tell("began", started.tick(), "attempt", started.attempt());
    } else if (event instanceof MonotickEvent.TickEnded ended) {
      tell("ended", ended.tick(), "outcome", ended.outcome());
    } else if (event instanceof MonotickEvent.TickSkipped skipped) {
      tell("skipped", skipped.tick(), "reason", skipped.reason());
    } else if (event instanceof MonotickEvent.TicksNotRun notRun) {
      teller.tell(
          "notRun",
          "task",
          notRun.task(),
          "first",
          notRun.gap().first(),
          "last",
          notRun.gap().last(),
          "count",
          notRun.gap().count(),
          "outcome",
          notRun.gap().outcome());
    } else if (event instanceof MonotickEvent.ReportRefused refused) {
      tell("refused", refused.tick(), "outcome", refused.outcome());
    } else if (event instanceof MonotickEvent.JobEndRefused refused) {
      teller.tell("jobRefused", "job", refused.id(), "run", refused.run());
    } else if (event instanceof MonotickEvent.BodyStuck stuck) {
      tell("stuck", stuck.tick(), "for", stuck.ignoredFor());
    } else if (event instanceof MonotickEvent.SlotWorkFailed failed) {
      tell("slotFailed", failed.tick(), "failure", failed.failure());
    }
  }

  private void tell(String kind, TickId tick, String name, Object value) {
    teller.tell(kind, "task", tick.task(), "nominal", tick.nominal(), name, value);
  }
}
