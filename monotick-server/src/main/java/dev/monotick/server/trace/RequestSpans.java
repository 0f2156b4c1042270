package dev.monotick.server.trace;

import dev.monotick.server.access.Caller;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Makes a span of each request, as part of the caller's trace if it says one. Looks at health and
 * metrics are none: they come all the time and say nothing.
 */
final class RequestSpans extends OncePerRequestFilter {

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  private final Tracer tracer;

  RequestSpans(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    String path = request.getRequestURI();
    return path.equals("/health") || path.startsWith("/health/") || path.equals("/prometheus");
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    // Whoever calls may make up methods, and a name must be one of few.
    String method = METHODS.contains(request.getMethod()) ? request.getMethod() : "_OTHER";
    Span span =
        tracer
            .spanBuilder(method)
            .setSpanKind(SpanKind.SERVER)
            .setParent(ContextPropagation.context(request))
            .setAttribute(SpanAttribute.HTTP_METHOD, method)
            .setAttribute(SpanAttribute.URL_SCHEME, request.getScheme())
            .startSpan();
    boolean answered = false;
    CurrentSpan current = CurrentSpan.of(span);
    try {
      chain.doFilter(request, response);
      answered = true;
    } finally {
      current.close();
      describe(span, method, request);
      if (!answered) {
        end(span, 500); // somebody outside of us makes an answer of what was thrown
      } else if (request.isAsyncStarted()) {
        endLater(span, request, response);
      } else {
        end(span, response.getStatus());
      }
    }
  }

  private static void describe(Span span, String method, HttpServletRequest request) {
    if (request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE) instanceof String route
        && !route.equals("/**")) { // what is for everything that is for nothing else
      span.setAttribute(SpanAttribute.HTTP_ROUTE, route).updateName(method + " " + route);
    }
    if (request.getAttribute(Caller.ATTRIBUTE) instanceof Caller caller) {
      span.setAttribute(SpanAttribute.TENANT, caller.tenant());
    }
  }

  private static void end(Span span, int status) {
    span.setAttribute(SpanAttribute.HTTP_STATUS, (long) status);
    if (status >= 500) {
      OpenTelemetryTracing.fail(span, String.valueOf(status));
    }
    span.end();
  }

  /** An answer that takes a while: the span lasts as long. */
  private static void endLater(
      Span span, HttpServletRequest request, HttpServletResponse response) {
    try {
      request.getAsyncContext().addListener(new SpanEnd(span, response));
    } catch (IllegalStateException e) {
      end(span, response.getStatus()); // it was answered just now
    }
  }

  private record SpanEnd(Span span, HttpServletResponse response) implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
      end(span, response.getStatus());
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this); // one that begins anew forgets who listened
    }
  }
}
