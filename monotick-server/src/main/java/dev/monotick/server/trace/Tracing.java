package dev.monotick.server.trace;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.spi.job.JobDraft;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes what the server does for a job part of one trace. Thread-safe. Where nobody collects traces
 * it is {@link #OFF}, which does nothing but let a job keep the trace context it came with.
 */
public interface Tracing extends AutoCloseable {

  /** For servers whose traces nobody collects. */
  Tracing OFF = new NoTracing();

  /** Says whether somebody collects traces, so that every request has a context of its own. */
  boolean isOn();

  /**
   * Adds jobs, each with a span that its runs are children of.
   *
   * @param add adds the jobs it is given, which are the same with the span's context
   */
  List<Enqueued> adding(
      List<JobRequest<?>> jobs, Function<List<JobRequest<?>>, List<Enqueued>> add);

  /** Does the same with drafts. */
  List<Enqueued> addingDrafts(List<JobDraft> jobs, Function<List<JobDraft>, List<Enqueued>> add);

  /** Runs an attempt at a job. */
  <P> JobOutcome running(JobContext<P> job, JobHandler<P> handler) throws Exception;

  /** Begins an HTTP request to somebody else; the span ends when it is closed. */
  CallSpan calling(String method, URI url);

  /**
   * Returns the headers that make somebody else's work for a job part of its trace; none if the job
   * has no trace.
   */
  Map<String, String> headersFor(JobContext<?> job);

  /** Tells what has not been told yet, if that is possible in a few seconds. */
  @Override
  void close();
}
