package dev.monotick.cli.agent;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the control plane. Thread-safe. */
final class AgentClient {

  private static final Duration USUAL = Duration.ofSeconds(10);

  private final AgentOptions options;
  private final JsonMapper json = new JsonMapper();
  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(5))
          .version(HttpClient.Version.HTTP_1_1)
          .build();

  /** An answer that is no success. */
  static final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String detail) {
      super("the server answered " + status + (detail.isEmpty() ? "" : ": " + detail));
      this.status = status;
    }

    /** Says whether this agent does not have that work any more. */
    boolean isLost() {
      return status == 409;
    }

    /** Says whether the server does not know this agent. */
    boolean isUnknown() {
      return status == 404;
    }

    /** Says whether asking again cannot help. */
    boolean isFinal() {
      return status == 400 || status == 401 || status == 403;
    }
  }

  AgentClient(AgentOptions options) {
    this.options = options;
  }

  /** Registers this agent. */
  JsonNode register(Map<String, Object> body) throws IOException, InterruptedException {
    return send(request("/v1/agents/register", body, USUAL));
  }

  /** Reports something about this agent. */
  JsonNode report(String what, Map<String, Object> body) throws IOException, InterruptedException {
    return send(request(path(what), body, USUAL));
  }

  /** Asks for work, which may take a while. */
  CompletableFuture<HttpResponse<String>> poll(int most, Duration wait) {
    return client.sendAsync(
        request(
            path("poll"), Map.of("max", most, "waitSeconds", wait.toSeconds()), wait.plus(USUAL)),
        BodyHandlers.ofString());
  }

  private String path(String what) {
    String name = URLEncoder.encode(options.name(), StandardCharsets.UTF_8);
    return "/v1/agents/" + name + "/" + what;
  }

  private HttpRequest request(String path, Map<String, Object> body, Duration timeout) {
    return HttpRequest.newBuilder(URI.create(options.server() + path))
        .timeout(timeout)
        .header("Authorization", "Bearer " + options.key())
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(json.writeValueAsString(body)))
        .build();
  }

  private JsonNode send(HttpRequest request) throws IOException, InterruptedException {
    return read(client.send(request, BodyHandlers.ofString()));
  }

  /** Returns the body of an answer that is a success. */
  JsonNode read(HttpResponse<String> answer) throws IOException {
    try {
      JsonNode body =
          answer.body().isEmpty() ? json.createObjectNode() : json.readTree(answer.body());
      if (answer.statusCode() / 100 == 2) {
        return body;
      }
      throw new RefusedException(answer.statusCode(), body.path("detail").asString(""));
    } catch (JacksonException e) {
      throw new RefusedException(answer.statusCode(), "what is no JSON");
    }
  }
}
