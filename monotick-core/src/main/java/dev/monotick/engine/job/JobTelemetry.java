package dev.monotick.engine.job;

import dev.monotick.engine.client.Payloads;
import dev.monotick.event.MonotickEvent;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.metric.MetricSink;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes what became of jobs to metrics and listeners. Called on the loop. */
public final class JobTelemetry {

  private static final Logger log = LoggerFactory.getLogger(JobTelemetry.class);

  private final Payloads payloads;
  private final MetricSink metrics;
  private final Consumer<Supplier<MonotickEvent>> events;

  /**
   * Creates one.
   *
   * @param metrics must not throw
   * @param events takes events, which are made only if somebody listens
   */
  public JobTelemetry(
      Payloads payloads, MetricSink metrics, Consumer<Supplier<MonotickEvent>> events) {
    this.payloads = payloads;
    this.metrics = metrics;
    this.events = events;
  }

  Payloads payloads() {
    return payloads;
  }

  void ended(Completion finish, boolean counts, @Nullable JobCancelReason cause) {
    ClaimedJob job = finish.job();
    String kind = job.lane().kind();
    if (!counts) {
      if (cause != JobCancelReason.CANCELLED) {
        log.warn(
            "end refused, the run is no longer ours job={} lane={} run={} end={}",
            job.id(),
            job.lane(),
            job.run().number(),
            finish.result().getClass().getSimpleName());
        metrics.jobRefused(kind);
        events.accept(() -> new MonotickEvent.JobEndRefused(job.id(), kind, job.run().number()));
      }
      return;
    }
    String end = finish.result().getClass().getSimpleName();
    metrics.jobEnded(kind, end, finish.took());
    int attempt = job.run().attempt();
    int maxAttempts = job.rules().maxAttempts();
    events.accept(
        () -> new MonotickEvent.JobEnded(job.id(), kind, end, attempt, maxAttempts, finish.took()));
  }

  /** So many ends were refused by the store and are not recorded yet; since is null for none. */
  void refusedCompletions(int count, @Nullable Instant since) {
    metrics.completionsRefused(MetricSink.Completion.JOB, count, since);
  }

  void abandoned(int handlers) {
    metrics.jobHandlersAbandoned(handlers);
  }

  void rescued(int runs) {
    log.warn("saw to jobs of replicas that are gone runs={}", runs);
    metrics.jobsRescued(runs);
  }
}
