package dev.monotick.engine;

import dev.monotick.audit.AuditSink;
import dev.monotick.job.PayloadCodec;
import dev.monotick.replica.ReplicaId;
import dev.monotick.worker.JobHandlers;
import dev.monotick.worker.JobTelemetry;
import dev.monotick.worker.JobWorker;
import dev.monotick.worker.Payloads;
import dev.monotick.worker.WorkerContext;
import dev.monotick.worker.WorkerSettings;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What jobs an engine runs, and how.
 *
 * @param handlers who handles which kind; more may be added
 * @param settings how many at a time, from which queues
 * @param codec how payloads are written; null for what the class path offers
 * @param audit who takes what is to be recorded
 */
public record JobWork(
    JobHandlers handlers, WorkerSettings settings, @Nullable PayloadCodec codec, AuditSink audit) {

  /**
   * Makes the worker of an engine.
   *
   * @param isMember tests, on any thread, whether this process is proven to live under an id
   */
  JobWorker worker(EngineConfig config, Telemetry telemetry, Predicate<ReplicaId> isMember) {
    WorkerContext context =
        new WorkerContext(
            config.replica(),
            config.settings().replicaName(),
            config.threads(),
            config.time(),
            config.store().jobs());
    JobTelemetry told =
        new JobTelemetry(
            context, new Payloads(codec), telemetry.metrics(), telemetry::publish, audit);
    return new JobWorker(context, settings, handlers, told, isMember);
  }
}
