package dev.monotick.engine;

import dev.monotick.audit.AuditSink;
import dev.monotick.job.PayloadCodec;
import dev.monotick.worker.JobHandlers;
import dev.monotick.worker.WorkerSettings;
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
    JobHandlers handlers, WorkerSettings settings, @Nullable PayloadCodec codec, AuditSink audit) {}
