package dev.monotick.server.engine;

import dev.monotick.leader.Fence;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import java.time.Duration;
import java.time.Instant;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Passes the engine's figures on; tells of rescues and refusals, for which there is no event. */
final class EngineMetrics implements MetricSink {

  private final MetricSink to;
  private final IntConsumer rescues;
  private final CompletionHealth refused;

  EngineMetrics(MetricSink to, IntConsumer rescues, CompletionHealth refused) {
    this.to = to;
    this.rescues = rescues;
    this.refused = refused;
  }

  @Override
  public void taskRegistered(String task) {
    to.taskRegistered(task);
  }

  @Override
  public void tickStarted(String task, Duration lateness) {
    to.tickStarted(task, lateness);
  }

  @Override
  public void tickEnded(String task, Outcome outcome, Duration duration, Instant at) {
    to.tickEnded(task, outcome, duration, at);
  }

  @Override
  public void ticksNotRun(String task, Outcome outcome, @Nullable SkipReason reason, long count) {
    to.ticksNotRun(task, outcome, reason, count);
  }

  @Override
  public void tickLeftToLeader(String task) {
    to.tickLeftToLeader(task);
  }

  @Override
  public void duplicateRefused(String task) {
    to.duplicateRefused(task);
  }

  @Override
  public void refusedByFence(String task) {
    to.refusedByFence(task);
  }

  @Override
  public void leadership(String group, boolean leader, @Nullable Fence fence) {
    to.leadership(group, leader, fence);
  }

  @Override
  public void jobEnded(String kind, String end, Duration took) {
    to.jobEnded(kind, end, took);
  }

  @Override
  public void jobRefused(String kind) {
    to.jobRefused(kind);
  }

  @Override
  public void completionsRefused(Completion of, int count, @Nullable Instant since) {
    to.completionsRefused(of, count, since);
    refused.changed(of, count, since);
  }

  @Override
  public void jobHandlersAbandoned(int handlers) {
    to.jobHandlersAbandoned(handlers);
  }

  @Override
  public void jobsRescued(int runs) {
    to.jobsRescued(runs);
    rescues.accept(runs);
  }

  @Override
  public void jobsUnhandled(String kind, long jobs) {
    to.jobsUnhandled(kind, jobs);
  }
}
