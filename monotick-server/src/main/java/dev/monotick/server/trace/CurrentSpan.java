package dev.monotick.server.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import org.slf4j.MDC;

/** A span that a thread is in: what it logs meanwhile says so. */
final class CurrentSpan {

  /** As Elastic's common schema calls them. */
  private static final String TRACE = "trace.id";

  private static final String SPAN = "span.id";

  private final Scope scope;

  private CurrentSpan(Scope scope) {
    this.scope = scope;
  }

  @SuppressWarnings("MustBeClosedChecker") // closed by close()
  static CurrentSpan of(Span span) {
    MDC.put(TRACE, span.getSpanContext().getTraceId());
    MDC.put(SPAN, span.getSpanContext().getSpanId());
    return new CurrentSpan(span.makeCurrent());
  }

  void close() {
    scope.close();
    MDC.remove(SPAN);
    MDC.remove(TRACE);
  }
}
