package dev.monotick.server.soak;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The service that all schedules call: counts calls by schedule, nominal time and key. */
final class Counter implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(16);
  private final Map<String, Map<String, AtomicInteger>> calls = new ConcurrentHashMap<>();
  private final AtomicLong total = new AtomicLong();

  Counter() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  long total() {
    return total.get();
  }

  /** Returns the keys of a tick, and how often each was called. */
  Map<String, AtomicInteger> calls(String name, String nominal) {
    return calls.getOrDefault("/" + name + "@" + nominal, Map.of());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String tick =
          exchange.getRequestURI().getPath()
              + "@"
              + exchange.getRequestHeaders().getFirst("Monotick-Nominal-Time");
      String key = String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
      calls
          .computeIfAbsent(tick, any -> new ConcurrentHashMap<>())
          .computeIfAbsent(key, any -> new AtomicInteger())
          .incrementAndGet();
      total.incrementAndGet();
      exchange.sendResponseHeaders(200, -1);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
