package dev.monotick.server.problem;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A refusal, for the one who asked. Whoever throws it says what is wrong with what he was given;
 * {@link ProblemAdvice} makes a document of it.
 */
public final class Problem extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String slug;
  private final transient Map<String, Object> extra = new LinkedHashMap<>();
  private final transient Map<String, String> headers = new LinkedHashMap<>();

  private Problem(int status, String slug, String detail) {
    super(detail, null, false, false);
    this.status = status;
    this.slug = slug;
  }

  /** What was given cannot be. */
  public static Problem invalid(String field, String detail) {
    return new Problem(400, "invalid", detail).with("field", field);
  }

  /** Nobody knows who calls. */
  public static Problem unauthenticated(String detail) {
    return new Problem(401, "unauthenticated", detail).header("WWW-Authenticate", "Bearer");
  }

  /** The caller may not do that. */
  public static Problem forbidden(String detail) {
    return new Problem(403, "forbidden", detail);
  }

  /** There is no such thing, or it is somebody else's. */
  public static Problem notFound(String what, String id) {
    return new Problem(404, "not-found", "there is no " + what + " " + id);
  }

  /** It is there already, or in a state that does not allow it. */
  public static Problem conflict(String slug, String detail) {
    return new Problem(409, slug, detail);
  }

  /** Somebody changed it meanwhile. */
  public static Problem changed(String detail) {
    return new Problem(412, "changed-meanwhile", detail);
  }

  /** It must be said which version is meant. */
  public static Problem versionNeeded(String detail) {
    return new Problem(428, "version-needed", detail);
  }

  /** Too much, for now. */
  public static Problem tooMany(String slug, String detail, Duration retryAfter) {
    long seconds = Math.max(1, retryAfter.plusMillis(999).toSeconds());
    return new Problem(429, slug, detail)
        .header("Retry-After", String.valueOf(seconds))
        .with("retryAfterSeconds", seconds);
  }

  /** What it needs is away. */
  public static Problem unavailable(String detail) {
    return new Problem(503, "unavailable", detail).header("Retry-After", "1");
  }

  /** Any other. */
  public static Problem of(int status, String slug, String detail) {
    return new Problem(status, slug, detail);
  }

  /** Adds a member to the document. */
  public Problem with(String name, Object value) {
    extra.put(name, value);
    return this;
  }

  /** Adds a header to the answer. */
  public Problem header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** Returns the status of the answer. */
  public int status() {
    return status;
  }

  /** Returns the last part of the problem's type. */
  public String slug() {
    return slug;
  }

  /** Returns what is wrong, for people. */
  public String detail() {
    return Optional.ofNullable(getMessage()).orElse(slug);
  }

  Map<String, Object> extra() {
    return extra;
  }

  Map<String, String> headers() {
    return headers;
  }

  /** Returns the document. */
  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", "urn:monotick:problem:" + slug);
    document.put("title", slug.replace('-', ' '));
    document.put("status", status);
    document.put("detail", detail());
    document.putAll(extra);
    return document;
  }
}
