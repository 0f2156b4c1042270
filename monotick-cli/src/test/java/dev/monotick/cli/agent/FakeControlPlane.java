package dev.monotick.cli.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Answers an agent as the control plane would, and remembers what it said. */
final class FakeControlPlane implements AutoCloseable {

  /** Something that an agent said. */
  record Said(String what, JsonNode body) {

    String text(String field) {
      return body.path(field).asString("");
    }
  }

  private final JsonMapper json = new JsonMapper();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<String> work = new ConcurrentLinkedQueue<>();
  private final List<Said> said = new CopyOnWriteArrayList<>();
  private volatile boolean away;
  private volatile boolean forgetsLeases;
  private volatile int status = 200;

  FakeControlPlane() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 20);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Has work, as JSON, for whoever asks next. */
  void offer(String lease, String work, String timeout) {
    this.work.add(
        "{\"lease\":\""
            + lease
            + "\",\"jobId\":\"7\",\"attempt\":1,\"work\":"
            + work
            + ",\"timeout\":\""
            + timeout
            + "\"}");
  }

  void isAway(boolean value) {
    away = value;
  }

  void forgetsLeases() {
    forgetsLeases = true;
  }

  void refusesWith(int value) {
    status = value;
  }

  List<Said> said(String what) {
    return said.stream().filter(each -> each.what().equals(what)).toList();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String what = path.substring(path.lastIndexOf('/') + 1);
      JsonNode body = json.readTree(exchange.getRequestBody().readAllBytes());
      if (away) {
        return; // hangs up
      }
      said.add(new Said(what, body));
      byte[] answer = answer(what, body).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private String answer(String what, JsonNode body) {
    if (status != 200) {
      return "{\"detail\":\"no\"}";
    }
    return switch (what) {
      case "register" -> "{\"lease\":\"PT3S\",\"heartbeat\":\"PT0.2S\"}";
      case "poll" -> {
        String next = work.poll();
        yield "{\"leases\":[" + (next == null ? "" : next) + "]}";
      }
      case "heartbeat" -> {
        ObjectNode renewed = json.createObjectNode();
        if (!forgetsLeases) {
          body.path("leases").forEach(each -> renewed.put(each.asString(), "later"));
        }
        yield "{\"renewed\":" + renewed + "}";
      }
      default -> "{}";
    };
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
