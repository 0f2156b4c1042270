package dev.monotick.server.trace;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.monotick.server.support.Eventually;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Receives spans by OTLP over HTTP, as a real collector does. */
final class Collector implements AutoCloseable {

  private final HttpServer server;
  private final List<Received> spans = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final List<Headers> headers = new CopyOnWriteArrayList<>();

  /**
   * A span, as tests look at it.
   *
   * @param parent the parent's id; empty for none
   * @param says its attributes, as text
   * @param replica what sent it
   * @param whole all of it
   */
  record Received(
      String trace,
      String id,
      String parent,
      String name,
      Map<String, String> says,
      String replica,
      Span whole) {

    boolean failed() {
      return whole.getStatus().getCode() == StatusCode.STATUS_CODE_ERROR;
    }

    boolean is(Span.SpanKind kind) {
      return whole.getKind() == kind;
    }

    /** What a request that it made carries. */
    String traceparent() {
      return "00-" + trace + "-" + id + "-01";
    }
  }

  Collector() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::receive);
    server.start();
  }

  /** Returns its address, without a path. */
  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<String> paths() {
    return paths;
  }

  List<Headers> headers() {
    return headers;
  }

  List<Received> spans() {
    return spans;
  }

  List<Received> trace(String id) {
    return spans.stream().filter(span -> span.trace().equals(id)).toList();
  }

  /** Waits for a span. */
  Received await(String what, Predicate<Received> wanted) {
    Eventually.until(() -> what + " in " + spans, () -> spans.stream().anyMatch(wanted));
    return spans.stream().filter(wanted).findFirst().orElseThrow();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      paths.add(exchange.getRequestURI().getPath());
      headers.add(exchange.getRequestHeaders());
      ExportTraceServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes())
          .getResourceSpansList()
          .forEach(
              resource -> {
                String replica =
                    texts(resource.getResource().getAttributesList())
                        .getOrDefault("service.instance.id", "");
                resource
                    .getScopeSpansList()
                    .forEach(
                        scope ->
                            scope.getSpansList().forEach(span -> spans.add(of(span, replica))));
              });
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1); // an empty message
    }
  }

  private static Received of(Span span, String replica) {
    return new Received(
        hex(span.getTraceId()),
        hex(span.getSpanId()),
        hex(span.getParentSpanId()),
        span.getName(),
        texts(span.getAttributesList()),
        replica,
        span);
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private static Map<String, String> texts(List<KeyValue> attributes) {
    Map<String, String> texts = new HashMap<>();
    attributes.forEach(each -> texts.put(each.getKey(), text(each.getValue())));
    return texts;
  }

  private static String text(AnyValue value) {
    return value.hasStringValue()
        ? value.getStringValue()
        : value.hasIntValue()
            ? String.valueOf(value.getIntValue())
            : String.valueOf(value.getBoolValue());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
