package dev.monotick.server.support;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Somebody who calls a replica over HTTP. Immutable. */
public final class Api {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final JsonMapper JSON = new JsonMapper();

  private final int port;
  private final @Nullable String key;
  private final List<String> headers;

  /**
   * An answer.
   *
   * @param status its status
   * @param body its body as JSON; missing if there is none
   * @param raw the whole answer
   */
  public record Answer(int status, JsonNode body, HttpResponse<String> raw) {

    /** Returns a header, or an empty text. */
    public String header(String name) {
      return raw.headers().firstValue(name).orElse("");
    }

    /** Returns a field of the body as text. */
    public String text(String field) {
      return body.path(field).asString("");
    }
  }

  /** Creates one with a key; none for nobody. */
  public Api(int port, @Nullable String key) {
    this(port, key, List.of());
  }

  private Api(int port, @Nullable String key, List<String> headers) {
    this.port = port;
    this.key = key;
    this.headers = headers;
  }

  /** Returns the same who says more about himself. */
  public Api with(String header, String value) {
    List<String> more = new ArrayList<>(headers);
    more.add(header);
    more.add(value);
    return new Api(port, key, more);
  }

  /** Returns the same who says nothing of that. */
  public Api without(String header) {
    List<String> less = new ArrayList<>();
    for (int i = 0; i < headers.size(); i += 2) {
      if (!headers.get(i).equalsIgnoreCase(header)) {
        less.add(headers.get(i));
        less.add(headers.get(i + 1));
      }
    }
    return new Api(port, key, less);
  }

  /** Returns the same with another key. */
  public Api as(@Nullable String other) {
    return new Api(port, other, headers);
  }

  /** Returns the same at another replica. */
  public Api at(int otherPort) {
    return new Api(otherPort, key, headers);
  }

  /** Asks for something. */
  public Answer get(String path) {
    return call("GET", path, null);
  }

  /** Sends JSON, given as text or as what Jackson can write. */
  public Answer post(String path, Object body) {
    return call("POST", path, body);
  }

  /** Sends nothing. */
  public Answer post(String path) {
    return call("POST", path, null);
  }

  /** Calls with any method. */
  public Answer call(String method, String path, @Nullable Object body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(60));
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    if (!headers.isEmpty()) {
      request.headers(headers.toArray(String[]::new));
    }
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      String text = body instanceof String given ? given : JSON.writeValueAsString(body);
      request
          .header(
              "Content-Type",
              method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
          .method(method, HttpRequest.BodyPublishers.ofString(text));
    }
    try {
      HttpResponse<String> answer =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(answer.statusCode(), json(answer), answer);
    } catch (IOException e) {
      throw new IllegalStateException(method + " " + path + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode json(HttpResponse<String> answer) {
    String type = answer.headers().firstValue("Content-Type").orElse("");
    return type.contains("json") && !type.contains("ndjson") && !answer.body().isEmpty()
        ? JSON.readTree(answer.body())
        : JSON.missingNode();
  }

  /** Makes an object of names and values. */
  public static Map<String, Object> json(Object... namesAndValues) {
    Map<String, Object> map = new java.util.LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }
}
