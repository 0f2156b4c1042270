package dev.monotick.engine;

import dev.monotick.engine.client.Payloads;
import dev.monotick.engine.job.JobHandlers;
import dev.monotick.engine.job.JobTelemetry;
import dev.monotick.engine.job.JobWorker;
import dev.monotick.engine.job.JobWorkerContext;
import dev.monotick.engine.job.JobWorkerSettings;
import dev.monotick.engine.observe.EngineTelemetry;
import dev.monotick.job.PayloadCodec;
import dev.monotick.spi.replica.MemberId;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What jobs an engine runs, and how.
 *
 * @param handlers who handles which kind; more may be added
 * @param settings how many at a time, from which queues
 * @param codec how payloads are written; null for what the class path offers
 */
public record JobWork(
    JobHandlers handlers, JobWorkerSettings settings, @Nullable PayloadCodec codec) {

  /**
   * Makes the worker of an engine.
   *
   * @param isMember tests, on any thread, whether this process is proven to live under an id
   */
  JobWorker worker(EngineConfig config, EngineTelemetry telemetry, Predicate<MemberId> isMember) {
    JobWorkerContext context =
        new JobWorkerContext(
            config.replica(),
            config.settings().replicaName(),
            config.threads(),
            config.time(),
            config.store().jobs());
    JobTelemetry told =
        new JobTelemetry(new Payloads(codec), telemetry.metrics(), telemetry::publish);
    return new JobWorker(context, settings, handlers, told, isMember);
  }
}
