package dev.monotick.server.web;

import dev.monotick.server.access.Caller;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Does what a request asks for, once for its {@code Idempotency-Key}. The key is inserted first and
 * in the transaction of the work: a second call waits until the first has committed, and gets its
 * answer; if the first failed, nothing is left of it and the second does the work.
 */
@Component
public class Idempotency {

  /** The header that carries the key. */
  public static final String HEADER = "Idempotency-Key";

  private static final int LONGEST = 200;

  private final Sql sql;
  private final JsonMapper json;

  @SuppressWarnings("ArrayRecordComponent") // carried, compared by its bytes
  private record Answer(byte[] request, int status, String headers, @Nullable String body) {}

  Idempotency(Sql sql, JsonMapper json) {
    this.sql = sql;
    this.json = json;
  }

  /**
   * Does the work in a transaction; refusals it throws undo everything.
   *
   * @param body what was sent, which with the path makes the request
   */
  public ResponseEntity<Object> once(
      HttpServletRequest request,
      Caller caller,
      @Nullable Object body,
      Supplier<ResponseEntity<?>> work) {
    String key = key(request);
    if (key == null) {
      return sql.transaction(() -> typed(work.get()));
    }
    byte[] hash = hash(request, caller, body);
    return sql.transaction(
        () -> {
          if (insert(caller.tenant(), key, hash)) {
            ResponseEntity<Object> answer = typed(work.get());
            keep(caller.tenant(), key, answer);
            return answer;
          }
          return again(caller.tenant(), key, hash);
        });
  }

  /** Returns the key of a request, or null if it has none; refuses one that cannot be. */
  public @Nullable String key(HttpServletRequest request) {
    String key = request.getHeader(HEADER);
    if (key != null && (key.isBlank() || key.length() > LONGEST)) {
      throw Problem.invalid(
          HEADER, HEADER + " must be 1 to " + LONGEST + " characters, but has " + key.length());
    }
    return key;
  }

  @SuppressWarnings("unchecked") // bodies are written as what they are
  private static ResponseEntity<Object> typed(ResponseEntity<?> answer) {
    return (ResponseEntity<Object>) answer;
  }

  private boolean insert(String tenant, String key, byte[] hash) {
    return sql.of(
                """
                insert into @idempotency (tenant, key, request) values (:tenant, :key, :request)
                on conflict (tenant, key) do nothing
                """)
            .param("tenant", tenant)
            .param("key", key)
            .param("request", hash)
            .update()
        == 1;
  }

  private void keep(String tenant, String key, ResponseEntity<Object> answer) {
    Map<String, List<String>> headers = new java.util.TreeMap<>();
    answer.getHeaders().forEach(headers::put);
    sql.of(
            """
            update @idempotency set status = :status, headers = cast(:headers as jsonb), body = :body
             where tenant = :tenant and key = :key
            """)
        .param("status", answer.getStatusCode().value())
        .param("headers", json.writeValueAsString(headers))
        .param("body", answer.getBody() == null ? null : json.writeValueAsString(answer.getBody()))
        .param("tenant", tenant)
        .param("key", key)
        .update();
  }

  private ResponseEntity<Object> again(String tenant, String key, byte[] hash) {
    Optional<Answer> known =
        sql.of(
                """
                select request, status, headers, body from @idempotency
                 where tenant = :tenant and key = :key
                """)
            .param("tenant", tenant)
            .param("key", key)
            .query(
                (row, number) ->
                    new Answer(
                        row.getBytes("request"),
                        row.getInt("status"),
                        row.getString("headers"),
                        row.getString("body")))
            .optional();
    Answer answer =
        known.orElseThrow(
            () -> Problem.unavailable("the first call of this key was undone; repeat it"));
    if (!MessageDigest.isEqual(answer.request(), hash)) {
      throw Problem.conflict(
          "idempotency-key-reused",
          HEADER + " " + key + " was used for another request; use a new one");
    }
    HttpHeaders headers = new HttpHeaders();
    json.readTree(answer.headers())
        .properties()
        .forEach(
            each -> each.getValue().forEach(value -> headers.add(each.getKey(), value.asString())));
    headers.set("Idempotency-Replayed", "true");
    if (answer.body() != null) {
      headers.setContentType(MediaType.APPLICATION_JSON);
    }
    return ResponseEntity.status(answer.status())
        .headers(headers)
        .body(answer.body() == null ? null : json.readTree(answer.body()));
  }

  private byte[] hash(HttpServletRequest request, Caller caller, @Nullable Object body) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(
          (caller.id() + "\n" + request.getMethod() + "\n" + request.getRequestURI() + "\n")
              .getBytes(StandardCharsets.UTF_8));
      digest.update(
          Optional.ofNullable(request.getQueryString())
              .orElse("")
              .getBytes(StandardCharsets.UTF_8));
      digest.update(json.writeValueAsBytes(body));
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
