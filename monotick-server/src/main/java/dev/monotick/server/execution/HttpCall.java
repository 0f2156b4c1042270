package dev.monotick.server.execution;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.net.URI;
import java.time.Duration;
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
 * @param headers beside those that we add; values may have placeholders, also secrets
 * @param body what is sent, with placeholders; nothing if not given
 * @param expectedStatus statuses that count as success; 200 to 299 if not given
 * @param retryOn which failures another attempt may mend; see {@link RetryableFailures}
 * @param secret the tenant's secret that signs the call; unsigned if not given
 * @param callback whether the called service may answer 202 and call back when it is done
 * @param callbackTimeout how long it may take for that
 * @param timeout how long the call may take, at most as the server's settings say
 */
public record HttpCall(
    String method,
    String url,
    Map<String, String> headers,
    @Nullable String body,
    List<Integer> expectedStatus,
    List<String> retryOn,
    @Nullable String secret,
    Boolean callback,
    @Nullable String callbackTimeout,
    @Nullable String timeout) {

  private static final Set<String> METHODS =
      Set.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD");
  private static final Set<String> OURS =
      Set.of(
          "host",
          "connection",
          "content-length",
          "transfer-encoding",
          "expect",
          "upgrade",
          "te",
          "trailer",
          "proxy-authorization",
          "idempotency-key");
  private static final Duration LONGEST_CALLBACK = Duration.ofDays(30);

  /** Fills in defaults and refuses what cannot be. */
  public HttpCall(
      @Nullable String method,
      @Nullable String url,
      @Nullable Map<String, String> headers,
      @Nullable String body,
      @Nullable List<Integer> expectedStatus,
      @Nullable List<String> retryOn,
      @Nullable String secret,
      @Nullable Boolean callback,
      @Nullable String callbackTimeout,
      @Nullable String timeout) {
    this.method = Optional.ofNullable(method).orElse("POST").toUpperCase(Locale.ROOT);
    this.url = RequestFields.required("payload.url", url);
    this.headers = headers == null ? Map.of() : noNulls(headers);
    this.body = body;
    this.expectedStatus =
        expectedStatus == null
            ? List.of()
            : RequestFields.checked("payload.expectedStatus", () -> noNulls(expectedStatus));
    this.retryOn =
        retryOn == null
            ? RetryableFailures.USUAL
            : RequestFields.checked("payload.retryOn", () -> noNulls(retryOn));
    this.secret = secret == null ? null : RequestFields.name("payload.secret", secret, 100);
    this.callback = Optional.ofNullable(callback).orElse(false);
    this.callbackTimeout = callbackTimeout;
    this.timeout = timeout;
    if (!METHODS.contains(this.method)) {
      throw Problem.invalid(
          "payload.method", "payload.method must be one of " + METHODS + ", but was " + method);
    }
    HttpTargets.require("payload.url", this.url);
    this.headers.forEach(HttpCall::requireHeader);
    if (body != null) {
      Template.check("payload.body", body, false);
    }
    this.expectedStatus.forEach(
        status -> RequestFields.number("payload.expectedStatus", status, 200, 200, 599));
    RetryableFailures.check("payload.retryOn", this.retryOn);
    between("payload.callbackTimeout", callbackTimeout, LONGEST_CALLBACK);
    between("payload.timeout", timeout, Duration.ofHours(1));
  }

  private static <T> List<T> noNulls(List<T> given) {
    try {
      return List.copyOf(given);
    } catch (NullPointerException e) {
      throw new IllegalArgumentException("a list must not have null in it", e);
    }
  }

  private static Map<String, String> noNulls(Map<String, String> given) {
    try {
      return Map.copyOf(given);
    } catch (NullPointerException e) {
      throw Problem.invalid("payload.headers", "payload.headers must not have null in it");
    }
  }

  private static void requireHeader(String name, String value) {
    String field = "payload.headers";
    String lower = name.toLowerCase(Locale.ROOT);
    if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
        || OURS.contains(lower)
        || lower.startsWith("monotick-")) {
      throw Problem.invalid(
          field,
          field
              + " may not have \""
              + name.substring(0, Math.min(100, name.length()))
              + "\": it is no name of a header, or one that the server sets");
    }
    if (value.length() > 8_000 || !value.chars().allMatch(c -> c == '\t' || (c >= 32 && c < 127))) {
      throw Problem.invalid(
          field + "." + name,
          field + "." + name + " must be at most 8000 characters of ASCII in one line");
    }
    Template.check(field + "." + name, value, true);
  }

  private static void between(String field, @Nullable String text, Duration longest) {
    if (text != null) {
      Duration value = RequestFields.duration(field, text);
      if (value.compareTo(Duration.ofMillis(100)) < 0 || value.compareTo(longest) > 0) {
        throw Problem.invalid(
            field, field + " must be PT0.1S to " + longest + ", but was " + value);
      }
    }
  }

  URI uri() {
    return URI.create(url);
  }

  boolean succeeds(int status) {
    return expectedStatus.isEmpty()
        ? status >= 200 && status < 300
        : expectedStatus.contains(status);
  }

  RetryableFailures retries() {
    return new RetryableFailures(retryOn);
  }
}
