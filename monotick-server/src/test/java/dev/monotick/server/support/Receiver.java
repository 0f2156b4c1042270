package dev.monotick.server.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A service that jobs call: counts the calls, and answers as it is told. */
public final class Receiver implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private volatile Function<Call, Integer> answers = call -> 200;

  /**
   * A call.
   *
   * @param method its method
   * @param path its path
   * @param headers its headers, names in lower case
   * @param body its body
   */
  public record Call(String method, String path, Map<String, String> headers, String body) {}

  /** Starts it on a free port. */
  public Receiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /** Says which status a call is answered with. */
  public void answers(Function<Call, Integer> status) {
    answers = status;
  }

  /** Returns where a path of it is. */
  public String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  /** Returns all calls, in order. */
  public List<Call> calls() {
    return calls;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      Map<String, String> headers = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
      Call call =
          new Call(exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body);
      calls.add(call);
      byte[] answer = "received".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answers.apply(call), answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
