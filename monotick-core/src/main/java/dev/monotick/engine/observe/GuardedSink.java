package dev.monotick.engine.observe;

import dev.monotick.leader.Fence;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sink whose failures cost figures, and no ticks. */
final class GuardedSink implements MetricSink {

  private static final Logger log = LoggerFactory.getLogger(GuardedSink.class);

  private final MetricSink sink;

  GuardedSink(MetricSink sink) {
    this.sink = sink;
  }

  @Override
  public void taskRegistered(String task) {
    try {
      sink.taskRegistered(task);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void tickStarted(String task, Duration lateness) {
    try {
      sink.tickStarted(task, lateness);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void tickEnded(String task, Outcome outcome, Duration duration, Instant at) {
    try {
      sink.tickEnded(task, outcome, duration, at);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void ticksNotRun(String task, Outcome outcome, @Nullable SkipReason reason, long count) {
    try {
      sink.ticksNotRun(task, outcome, reason, count);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void tickLeftToLeader(String task) {
    try {
      sink.tickLeftToLeader(task);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void duplicateRefused(String task) {
    try {
      sink.duplicateRefused(task);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void refusedByFence(String task) {
    try {
      sink.refusedByFence(task);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void leadership(String group, boolean leader, @Nullable Fence fence) {
    try {
      sink.leadership(group, leader, fence);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void jobEnded(String kind, String end, Duration took) {
    try {
      sink.jobEnded(kind, end, took);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void jobRefused(String kind) {
    try {
      sink.jobRefused(kind);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void completionsRefused(Completion of, int count, @Nullable Instant since) {
    try {
      sink.completionsRefused(of, count, since);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void jobHandlersAbandoned(int handlers) {
    try {
      sink.jobHandlersAbandoned(handlers);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void jobsRescued(int runs) {
    try {
      sink.jobsRescued(runs);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  @Override
  public void jobsUnhandled(String kind, long jobs) {
    try {
      sink.jobsUnhandled(kind, jobs);
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  private static void failed(RuntimeException e) {
    log.warn("a metric could not be taken", e);
  }
}
