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

/** Nobody collects traces. Names no class of OpenTelemetry, so that none is loaded. */
final class NoTracing implements Tracing {

  private static final CallSpan NO_SPAN =
      new CallSpan() {
        @Override
        public Map<String, String> headers() {
          return Map.of();
        }

        @Override
        public void answered(int status) {}

        @Override
        public void failed(String how) {}

        @Override
        public void close() {}
      };

  @Override
  public boolean isOn() {
    return false;
  }

  @Override
  public List<Enqueued> adding(
      List<JobRequest<?>> jobs, Function<List<JobRequest<?>>, List<Enqueued>> add) {
    return add.apply(jobs);
  }

  @Override
  public List<Enqueued> addingDrafts(
      List<JobDraft> jobs, Function<List<JobDraft>, List<Enqueued>> add) {
    return add.apply(jobs);
  }

  @Override
  public <P> JobOutcome running(JobContext<P> job, JobHandler<P> handler) throws Exception {
    return handler.run(job);
  }

  @Override
  public CallSpan calling(String method, URI url) {
    return NO_SPAN;
  }

  @Override
  public Map<String, String> headersFor(JobContext<?> job) {
    return TraceHeaders.of(job.headers());
  }

  @Override
  public void close() {}
}
