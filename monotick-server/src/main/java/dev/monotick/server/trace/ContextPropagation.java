package dev.monotick.server.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads contexts from what requests and jobs carry, and writes them there. */
final class ContextPropagation {

  private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

  private static final TextMapGetter<HttpServletRequest> REQUEST =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(HttpServletRequest request) {
          return Collections.list(request.getHeaderNames());
        }

        @Override
        public @Nullable String get(@Nullable HttpServletRequest request, String name) {
          return request == null ? null : request.getHeader(name);
        }
      };

  private static final TextMapGetter<Map<String, String>> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
          return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String name) {
          return headers == null ? null : headers.get(name);
        }
      };

  private ContextPropagation() {}

  static Context context(HttpServletRequest request) {
    return W3C.extract(Context.root(), request, REQUEST);
  }

  static Context context(Map<String, String> headers) {
    return W3C.extract(Context.root(), headers, HEADERS);
  }

  /** Returns what makes others part of a span; nothing for a span that is none. */
  static Map<String, String> headers(Span span) {
    Map<String, String> headers = new LinkedHashMap<>();
    W3C.inject(
        Context.root().with(span), headers, (carrier, name, value) -> headers.put(name, value));
    return headers;
  }

  /** Says of which schedule and tick a job is, if it is of one. */
  static void schedule(Span span, Map<String, String> headers) {
    String schedule = headers.get("schedule");
    if (schedule != null) {
      span.setAttribute(SpanAttribute.SCHEDULE_ID, schedule);
    }
    String nominal = headers.get("nominal");
    if (nominal != null) {
      span.setAttribute(SpanAttribute.SCHEDULE_NOMINAL, nominal);
    }
  }
}
