package dev.monotick.server.trace;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobHandler;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.JobDraft;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Tells a collector. Spans are put into a bounded queue and sent by a thread of the SDK: when the
 * collector is slow or away they are dropped, and nobody waits.
 */
final class OpenTelemetryTracing implements Tracing {

  /** A collector that is away must not keep a server from stopping. */
  private static final long LAST_WORDS_SECONDS = 3;

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  OpenTelemetryTracing(SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = provider.get("dev.monotick.server");
  }

  Tracer tracer() {
    return tracer;
  }

  @Override
  public boolean isOn() {
    return true;
  }

  /** How to read a job that is about to be added, and to give it other headers. */
  private interface Shape<J> {

    Lane lane(J job);

    Map<String, String> headers(J job);

    J with(J job, Map<String, String> trace);
  }

  private static final Shape<JobRequest<?>> REQUEST =
      new Shape<>() {
        @Override
        public Lane lane(JobRequest<?> job) {
          return job.lane();
        }

        @Override
        public Map<String, String> headers(JobRequest<?> job) {
          return job.headers();
        }

        @Override
        public JobRequest<?> with(JobRequest<?> job, Map<String, String> trace) {
          JobRequest<?> traced = job;
          for (Map.Entry<String, String> each : trace.entrySet()) {
            traced = traced.header(each.getKey(), each.getValue());
          }
          return traced;
        }
      };

  private static final Shape<JobDraft> DRAFT =
      new Shape<>() {
        @Override
        public Lane lane(JobDraft job) {
          return job.lane();
        }

        @Override
        public Map<String, String> headers(JobDraft job) {
          return job.headers();
        }

        @Override
        public JobDraft with(JobDraft job, Map<String, String> trace) {
          return TraceHeaders.given(job, trace);
        }
      };

  @Override
  public List<Enqueued> adding(
      List<JobRequest<?>> jobs, Function<List<JobRequest<?>>, List<Enqueued>> add) {
    return adding(jobs, REQUEST, add);
  }

  @Override
  public List<Enqueued> addingDrafts(
      List<JobDraft> jobs, Function<List<JobDraft>, List<Enqueued>> add) {
    return adding(jobs, DRAFT, add);
  }

  private <J> List<Enqueued> adding(
      List<J> jobs, Shape<J> shape, Function<List<J>, List<Enqueued>> add) {
    List<Span> spans = new ArrayList<>(jobs.size());
    List<J> traced = new ArrayList<>(jobs.size());
    for (J job : jobs) {
      Span span = enqueue(shape.lane(job), shape.headers(job));
      spans.add(span);
      traced.add(shape.with(job, ContextPropagation.headers(span)));
    }
    try {
      List<Enqueued> added = add.apply(traced);
      for (int i = 0; i < spans.size(); i++) {
        spans
            .get(i)
            .setAttribute(SpanAttribute.JOB_ID, added.get(i).id().toString())
            .setAttribute(SpanAttribute.JOB_NEW, added.get(i).isNew());
      }
      return added;
    } catch (RuntimeException e) {
      spans.forEach(span -> fail(span, e.getClass().getSimpleName()));
      throw e;
    } finally {
      spans.forEach(Span::end);
    }
  }

  private Span enqueue(Lane lane, Map<String, String> headers) {
    SpanBuilder builder =
        tracer.spanBuilder("enqueue " + lane.kind()).setSpanKind(SpanKind.PRODUCER);
    if (headers.containsKey(TraceHeaders.PARENT)) { // its creator says which trace it belongs to
      Context named = ContextPropagation.context(headers);
      if (Span.fromContext(named).getSpanContext().isValid()) {
        builder.setParent(named).addLink(Span.current().getSpanContext());
      }
    }
    Span span = describe(builder, lane).startSpan();
    ContextPropagation.schedule(span, headers);
    return span;
  }

  private static SpanBuilder describe(SpanBuilder builder, Lane lane) {
    return builder
        .setAttribute(SpanAttribute.TENANT, lane.tenant())
        .setAttribute(SpanAttribute.JOB_KIND, lane.kind())
        .setAttribute(SpanAttribute.JOB_QUEUE, lane.queue());
  }

  @Override
  public <P> JobOutcome running(JobContext<P> job, JobHandler<P> handler) throws Exception {
    Span span =
        describe(
                tracer
                    .spanBuilder("run " + job.lane().kind())
                    .setSpanKind(SpanKind.CONSUMER)
                    .setParent(ContextPropagation.context(job.headers())),
                job.lane())
            .setAttribute(SpanAttribute.JOB_ID, job.id().toString())
            .setAttribute(SpanAttribute.JOB_ATTEMPT, (long) job.attempt())
            .setAttribute(SpanAttribute.JOB_RUN, (long) job.run())
            .startSpan();
    ContextPropagation.schedule(span, job.headers());
    CurrentSpan current = CurrentSpan.of(span);
    try {
      JobOutcome outcome = handler.run(job);
      take(span, outcome);
      return outcome;
    } catch (Throwable e) {
      span.setAttribute(SpanAttribute.JOB_OUTCOME, job.isCancelled() ? "STOPPED" : "FAILED");
      fail(span, e.getClass().getSimpleName());
      throw e;
    } finally {
      current.close();
      span.end();
    }
  }

  private static void take(Span span, JobOutcome outcome) {
    String word;
    if (outcome instanceof JobOutcome.Done) {
      word = "SUCCEEDED";
    } else if (outcome instanceof JobOutcome.Snoozed) {
      word = "SNOOZED";
    } else if (outcome instanceof JobOutcome.Discarded) {
      word = "DISCARDED";
    } else {
      word = "FAILED";
      fail(span, outcome.getClass().getSimpleName());
    }
    span.setAttribute(SpanAttribute.JOB_OUTCOME, word);
  }

  /** Without what was said: tenants' secrets may be in it, and the job has it on record. */
  static void fail(Span span, String how) {
    span.setAttribute(SpanAttribute.ERROR_TYPE, how).setStatus(StatusCode.ERROR);
  }

  @Override
  public CallSpan calling(String method, URI url) {
    Span span =
        tracer
            .spanBuilder(method)
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute(SpanAttribute.HTTP_METHOD, method)
            .setAttribute(SpanAttribute.SERVER_ADDRESS, String.valueOf(url.getHost()))
            .setAttribute(SpanAttribute.SERVER_PORT, port(url))
            .setAttribute(SpanAttribute.URL_SCHEME, String.valueOf(url.getScheme()))
            .startSpan();
    return new OutgoingSpan(span);
  }

  private static long port(URI url) {
    return url.getPort() >= 0
        ? url.getPort()
        : "https".equalsIgnoreCase(url.getScheme()) ? 443 : 80;
  }

  /** Path and query are left out: tokens are in both. */
  private record OutgoingSpan(Span span) implements CallSpan {

    @Override
    public Map<String, String> headers() {
      return ContextPropagation.headers(span);
    }

    @Override
    public void answered(int status) {
      span.setAttribute(SpanAttribute.HTTP_STATUS, (long) status);
      if (status >= 400) {
        fail(span, String.valueOf(status));
      }
    }

    @Override
    public void failed(String how) {
      fail(span, how);
    }

    @Override
    public void close() {
      span.end();
    }
  }

  @Override
  public Map<String, String> headersFor(JobContext<?> job) {
    return ContextPropagation.headers(Span.current());
  }

  @Override
  public void close() {
    provider.shutdown().join(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
  }
}
