package dev.monotick.engine.observe;

import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.event.MonotickEvent;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Tells metrics and listeners what happened; makes no event where nobody listens. */
public final class EngineTelemetry {

  private static final Logger log = LoggerFactory.getLogger(EngineTelemetry.class);

  private final MetricSink metrics;
  private final EventListeners listeners;
  private @Nullable Instant refusedSince; // outcomes of ticks

  public EngineTelemetry(MetricSink metrics, EventListeners listeners) {
    this.metrics = new GuardedSink(metrics);
    this.listeners = listeners;
  }

  public MetricSink metrics() {
    return metrics;
  }

  /** Makes and publishes an event, if anybody listens. */
  public void publish(Supplier<MonotickEvent> event) {
    if (listeners.any()) {
      publish(event.get());
    }
  }

  /** So many outcomes of ticks were refused by the store and are not recorded yet. */
  public void reportsRefused(int count, Instant now) {
    if (count == 0) {
      refusedSince = null;
    } else if (refusedSince == null) {
      refusedSince = now;
    }
    metrics.completionsRefused(MetricSink.Completion.TICK, count, refusedSince);
  }

  public void registered(String task) {
    metrics.taskRegistered(task);
  }

  public void started(TickId tick, int attempt, Duration lateness) {
    metrics.tickStarted(tick.task(), lateness);
    if (listeners.any()) {
      publish(new MonotickEvent.TickStarted(tick, attempt, lateness));
    }
  }

  public void ended(
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

  public void unknown(TickRecord row) {
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

  public void skipped(TickId tick, SkipReason reason) {
    metrics.ticksNotRun(tick.task(), Outcome.SKIPPED, reason, 1);
    if (listeners.any()) {
      publish(new MonotickEvent.TickSkipped(tick, reason));
    }
  }

  public void notRun(String task, List<TickRecord.Range> gaps) {
    for (TickRecord.Range gap : gaps) {
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

  public void leftToLeader(String task) {
    metrics.tickLeftToLeader(task);
  }

  public void duplicateRefused(String task) {
    metrics.duplicateRefused(task);
  }

  public void refusedByFence(String task) {
    metrics.refusedByFence(task);
  }

  public void reportRefused(TickId tick, Outcome outcome) {
    log.warn("report refused, the claim is no longer ours tick={} outcome={}", tick, outcome);
    metrics.refusedByFence(tick.task());
    if (listeners.any()) {
      publish(new MonotickEvent.ReportRefused(tick, outcome));
    }
  }

  public void stuck(TickId tick, Duration ignoredFor) {
    if (listeners.any()) {
      publish(new MonotickEvent.BodyStuck(tick, ignoredFor));
    }
  }

  public void slotFailed(TickId tick, String failure) {
    if (listeners.any()) {
      publish(new MonotickEvent.SlotWorkFailed(tick, failure));
    }
  }

  public void backingOff(String task, int failures, Instant until) {
    log.warn("backing off task={} failures={} until={}", task, failures, until);
    if (listeners.any()) {
      publish(new MonotickEvent.TaskBackingOff(task, failures, until));
    }
  }

  public void paused(String task, String by, String note) {
    log.warn("paused task={} by={} note={}", task, by, note);
    if (listeners.any()) {
      publish(new MonotickEvent.TaskPaused(task, by, note));
    }
  }

  public void resumed(String task) {
    log.info("resumed task={}", task);
    if (listeners.any()) {
      publish(new MonotickEvent.TaskResumed(task));
    }
  }

  public void gained(HeldTerm term) {
    metrics.leadership(term.group(), true, term.fence());
    listeners.gained(term);
    publish(new MonotickEvent.LeadershipGained(term));
  }

  public void lost(HeldTerm term, LossCause cause) {
    metrics.leadership(term.group(), false, null);
    listeners.lost(term, cause);
    publish(new MonotickEvent.LeadershipLost(term, cause));
  }

  private void publish(MonotickEvent event) {
    listeners.publish(event);
  }
}
