package dev.monotick.engine;

import dev.monotick.event.MonotickEvent;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.SkipReason;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.metric.MetricSink;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Tells metrics and listeners what happened; makes no event where nobody listens. */
final class Telemetry {

  private static final Logger log = LoggerFactory.getLogger(Telemetry.class);

  private final MetricSink metrics;
  private final Listeners listeners;
  private @Nullable Instant refusedSince; // outcomes of ticks

  Telemetry(MetricSink metrics, Listeners listeners) {
    this.metrics = new GuardedSink(metrics);
    this.listeners = listeners;
  }

  MetricSink metrics() {
    return metrics;
  }

  /** Makes and publishes an event, if anybody listens. */
  void publish(Supplier<MonotickEvent> event) {
    if (listeners.any()) {
      publish(event.get());
    }
  }

  /** So many outcomes of ticks were refused by the store and are not recorded yet. */
  void reportsRefused(int count, Instant now) {
    if (count == 0) {
      refusedSince = null;
    } else if (refusedSince == null) {
      refusedSince = now;
    }
    metrics.completionsRefused(MetricSink.Completion.TICK, count, refusedSince);
  }

  void registered(String task) {
    metrics.taskRegistered(task);
  }

  void started(BodyRun run, Duration lateness) {
    metrics.tickStarted(run.tick().task(), lateness);
    if (listeners.any()) {
      publish(new MonotickEvent.TickStarted(run.tick(), run.attempt(), lateness));
    }
  }

  void ended(
      TickId tick,
      Outcome outcome,
      @Nullable String detail,
      @Nullable Duration duration,
      Instant at) {
    if (duration != null) {
      metrics.tickEnded(tick.task(), outcome, duration, at);
    }
    if (listeners.any()) {
      publish(new MonotickEvent.TickEnded(tick, outcome, detail, duration));
    }
  }

  void settled(TickRecord row) {
    log.warn(
        "outcome unknown, its replica is gone tick={} claim={} attempt={}",
        row.tick(),
        row.claim(),
        row.attempt());
    metrics.ticksNotRun(row.tick().task(), Outcome.UNKNOWN, null, 1);
    if (listeners.any()) {
      publish(new MonotickEvent.TickEnded(row.tick(), Outcome.UNKNOWN, row.detail(), null));
    }
  }

  void skipped(TickId tick, SkipReason reason) {
    metrics.ticksNotRun(tick.task(), Outcome.SKIPPED, reason, 1);
    if (listeners.any()) {
      publish(new MonotickEvent.TickSkipped(tick, reason));
    }
  }

  void notRun(String task, List<Gap> gaps) {
    for (Gap gap : gaps) {
      // A policy that does its work is no news; a tick nobody was there for is.
      log.atLevel(gap.outcome() == Outcome.MISSED ? Level.WARN : Level.INFO)
          .log(
              "not run task={} outcome={} reason={} count={} first={} last={}",
              task,
              gap.outcome(),
              gap.reason(),
              gap.count(),
              gap.first(),
              gap.last());
      metrics.ticksNotRun(task, gap.outcome(), gap.reason(), gap.count());
      if (listeners.any()) {
        publish(new MonotickEvent.TicksNotRun(task, gap));
      }
    }
  }

  void leftToLeader(String task) {
    metrics.tickLeftToLeader(task);
  }

  void duplicateRefused(String task) {
    metrics.duplicateRefused(task);
  }

  void refusedByFence(String task) {
    metrics.refusedByFence(task);
  }

  void reportRefused(TickId tick, Outcome outcome) {
    log.warn("report refused, the claim is no longer ours tick={} outcome={}", tick, outcome);
    metrics.refusedByFence(tick.task());
    if (listeners.any()) {
      publish(new MonotickEvent.ReportRefused(tick, outcome));
    }
  }

  void stuck(BodyRun run, Duration ignoredFor) {
    if (listeners.any()) {
      publish(new MonotickEvent.BodyStuck(run.tick(), ignoredFor));
    }
  }

  void slotFailed(BodyRun run, Throwable failure) {
    if (listeners.any()) {
      publish(new MonotickEvent.SlotWorkFailed(run.tick(), RunReport.describe(failure)));
    }
  }

  void backingOff(String task, int failures, Instant until) {
    log.warn("backing off task={} failures={} until={}", task, failures, until);
    if (listeners.any()) {
      publish(new MonotickEvent.TaskBackingOff(task, failures, until));
    }
  }

  void paused(String task, String by, String note) {
    log.warn("paused task={} by={} note={}", task, by, note);
    if (listeners.any()) {
      publish(new MonotickEvent.TaskPaused(task, by, note));
    }
  }

  void resumed(String task) {
    log.info("resumed task={}", task);
    if (listeners.any()) {
      publish(new MonotickEvent.TaskResumed(task));
    }
  }

  void gained(Term term) {
    metrics.leadership(term.group(), true, term.fence());
    listeners.gained(term);
    publish(new MonotickEvent.LeadershipGained(term));
  }

  void lost(Term term, LossCause cause) {
    metrics.leadership(term.group(), false, null);
    listeners.lost(term, cause);
    publish(new MonotickEvent.LeadershipLost(term, cause));
  }

  private void publish(MonotickEvent event) {
    listeners.publish(event);
  }
}
