package dev.monotick.worker;

import dev.monotick.audit.AuditEvent;
import dev.monotick.audit.AuditSink;
import dev.monotick.event.MonotickEvent;
import dev.monotick.job.JobState;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.metric.MetricSink;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells metrics, listeners and the audit what became of jobs. Called on the loop. */
public final class JobTelemetry {

  private static final Logger log = LoggerFactory.getLogger(JobTelemetry.class);

  private final WorkerContext context;
  private final Payloads payloads;
  private final MetricSink metrics;
  private final Consumer<Supplier<MonotickEvent>> events;
  private final AuditSink audit;
  private final Executor auditExecutor;

  /**
   * Creates one.
   *
   * @param metrics must not throw
   * @param events takes events, which are made only if somebody listens
   */
  public JobTelemetry(
      WorkerContext context,
      Payloads payloads,
      MetricSink metrics,
      Consumer<Supplier<MonotickEvent>> events,
      AuditSink audit) {
    this.context = context;
    this.payloads = payloads;
    this.metrics = metrics;
    this.events = events;
    this.audit = audit;
    this.auditExecutor = context.threads().listenerExecutor("audit");
  }

  Payloads payloads() {
    return payloads;
  }

  void ended(JobFinish finish, boolean counts, @Nullable StopCause cause) {
    ClaimedJob job = finish.job();
    String kind = job.lane().kind();
    if (!counts) {
      if (cause != StopCause.CANCELLED) {
        log.warn(
            "end refused, the run is no longer ours job={} lane={} run={} end={}",
            job.id(),
            job.lane(),
            job.run().number(),
            finish.end().getClass().getSimpleName());
        metrics.jobRefused(kind);
        events.accept(() -> new MonotickEvent.JobEndRefused(job.id(), kind, job.run().number()));
      }
      return;
    }
    String end = finish.end().getClass().getSimpleName();
    metrics.jobEnded(kind, end, finish.took());
    int attempt = job.run().attempt();
    events.accept(() -> new MonotickEvent.JobEnded(job.id(), kind, end, attempt, finish.took()));
    if (finish.end() instanceof JobFinish.Retried) { // its slot has logged why, with the stack
      auditRetry(job);
    }
  }

  private void auditRetry(ClaimedJob job) {
    AuditEvent event =
        new AuditEvent(
            "job_retry",
            AuditEvent.SYSTEM,
            "job/" + job.id(),
            Map.of(
                "old_status",
                JobState.RUNNING.name(),
                "new_status",
                JobState.RETRYING.name(),
                "attempts",
                Integer.toString(job.run().attempt()),
                "max_attempts",
                Integer.toString(job.rules().maxAttempts())),
            context.store().now());
    auditExecutor.execute(
        () -> {
          try {
            audit.record(event);
          } catch (RuntimeException e) {
            log.error("audit event was not recorded event={}", event, e);
          }
        });
  }

  /** So many ends were refused by the store and are not recorded yet; since is null for none. */
  void refusedEnds(int count, @Nullable Instant since) {
    metrics.completionsRefused(MetricSink.Completion.JOB, count, since);
  }

  void leftAlone(int handlers) {
    metrics.jobHandlersLeftAlone(handlers);
  }

  void rescued(int runs) {
    log.warn("saw to jobs of replicas that are gone runs={}", runs);
    metrics.jobsRescued(runs);
  }
}
