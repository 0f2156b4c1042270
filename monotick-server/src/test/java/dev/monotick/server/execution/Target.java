package dev.monotick.server.execution;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** A service that answers each path as it is told, also badly. */
final class Target implements AutoCloseable {

  /** How a path is answered. */
  @FunctionalInterface
  interface Answers {

    /** Answers. */
    void to(HttpExchange exchange, Heard heard) throws IOException;
  }

  /** What was heard; headers without regard to case. */
  record Heard(String method, String path, Map<String, String> headers, String body) {

    String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Answers> answers = new ConcurrentHashMap<>();
  private final List<Heard> heard = new CopyOnWriteArrayList<>();

  Target() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  Target on(String path, Answers how) {
    answers.put(path, how);
    return this;
  }

  List<Heard> heard(String path) {
    return heard.stream().filter(each -> each.path().equals(path)).toList();
  }

  static Answers status(int status) {
    return text(status, "answer");
  }

  static Answers text(int status, String text) {
    return (exchange, call) -> {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  static Answers redirect(int status, String location) {
    return (exchange, call) -> {
      exchange.getResponseHeaders().set("Location", location);
      exchange.sendResponseHeaders(status, -1);
    };
  }

  /** A byte every 20 ms, for ever. */
  static Answers drip() {
    return (exchange, call) -> {
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      while (true) {
        out.write('.');
        out.flush();
        LockSupport.parkNanos(20_000_000);
      }
    };
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
      Heard call =
          new Heard(
              exchange.getRequestMethod(),
              exchange.getRequestURI().getPath(),
              headers,
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      heard.add(call);
      answers.getOrDefault(call.path(), status(200)).to(exchange, call);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
