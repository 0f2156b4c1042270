package dev.monotick.server.execution;

import dev.monotick.server.problem.Fields;
import dev.monotick.server.problem.Problem;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The payload of an {@code http} job.
 *
 * @param method GET, POST, PUT, PATCH, DELETE or HEAD; POST if not given
 * @param url where to
 * @param headers beside those that we add
 * @param body what is sent; empty for nothing
 * @param expectedStatus statuses that count as success; 200 to 299 if not given
 */
public record HttpCall(
    String method,
    String url,
    Map<String, String> headers,
    @Nullable String body,
    List<Integer> expectedStatus) {

  private static final Set<String> METHODS =
      Set.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD");

  /** Fills in defaults and refuses what cannot be. */
  public HttpCall(
      @Nullable String method,
      @Nullable String url,
      @Nullable Map<String, String> headers,
      @Nullable String body,
      @Nullable List<Integer> expectedStatus) {
    this.method = Optional.ofNullable(method).orElse("POST").toUpperCase(Locale.ROOT);
    this.url = Fields.required("payload.url", url);
    this.headers = headers == null ? Map.of() : Map.copyOf(headers);
    this.body = body;
    this.expectedStatus = expectedStatus == null ? List.of() : List.copyOf(expectedStatus);
    if (!METHODS.contains(this.method)) {
      throw Problem.invalid(
          "payload.method", "payload.method must be one of " + METHODS + ", but was " + method);
    }
    requireUrl(this.url);
  }

  private static void requireUrl(String url) {
    try {
      URI uri = URI.create(url);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() != null && Set.of("http", "https").contains(scheme)) {
        return;
      }
    } catch (IllegalArgumentException e) {
      // told below, like one of another scheme
    }
    throw Problem.invalid(
        "payload.url", "payload.url must be http://… or https://…, but was \"" + url + "\"");
  }

  boolean succeeds(int status) {
    return expectedStatus.isEmpty()
        ? status >= 200 && status < 300
        : expectedStatus.contains(status);
  }
}
