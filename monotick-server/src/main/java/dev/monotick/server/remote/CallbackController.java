package dev.monotick.server.remote;

import dev.monotick.server.access.NoRoleRequired;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Where services call back that have answered 202. The token of the call is all they need. */
@RestController
@Tag(name = "callbacks", description = "Outcomes of calls that were answered with 202")
class CallbackController {

  /** The header that carries the token, in the call and in what comes back. */
  static final String TOKEN = "Monotick-Callback-Token";

  private static final int LONGEST_RESULT = 400_000;
  private static final int LONGEST_TEXT = 8_000;

  private final Sql sql;
  private final RemoteWorks works;

  /** What a service says. */
  enum ReportedState {
    /** It is at it still. */
    RUNNING,
    /** It is done. */
    SUCCEEDED,
    /** It failed. */
    FAILED
  }

  /**
   * What a service says about the work.
   *
   * @param outcome how it is
   * @param result what came out, if it succeeded
   * @param error what happened, if it failed
   * @param permanent whether another attempt would not mend that
   * @param progress from 0 to 1, if it is at it still
   * @param doing what it does now
   */
  record CallbackBody(
      @Nullable ReportedState outcome,
      @Nullable JsonNode result,
      @Nullable String error,
      @Nullable Boolean permanent,
      @Nullable Double progress,
      @Nullable String doing) {}

  /**
   * How the work is now.
   *
   * @param state WAITING, DONE or FAILED
   */
  record CallbackAnswer(String state) {}

  private record Changed(long job, Instant endedAt) {}

  CallbackController(Sql sql, RemoteWorks works) {
    this.sql = sql;
    this.works = works;
  }

  @PostMapping("/v1/callbacks/{id}")
  @NoRoleRequired
  @Operation(summary = "Report progress or outcome of asynchronous work")
  CallbackAnswer callBack(
      @PathVariable String id,
      @RequestHeader(name = TOKEN, required = false) @Nullable String token,
      @RequestBody CallbackBody body) {
    UUID work = proven(id, token);
    return switch (RequestFields.required("outcome", body.outcome())) {
      case RUNNING -> progress(work, body);
      case SUCCEEDED ->
          end(
              work,
              RemoteWork.State.DONE,
              Optional.ofNullable(result(body)),
              Optional.empty(),
              false);
      case FAILED ->
          end(
              work,
              RemoteWork.State.FAILED,
              Optional.empty(),
              Optional.of(text("error", body.error()).orElse("the called service says it failed")),
              Boolean.TRUE.equals(body.permanent()));
    };
  }

  /** One refusal for all that is wrong, so that nobody learns which ids there are. */
  private UUID proven(String id, @Nullable String token) {
    try {
      UUID work = UUID.fromString(id);
      boolean known =
          token != null
              && sql.of(
                          """
                          select count(*) from @remote_work
                           where id = :id and kind = 'CALLBACK' and :token = any (tokens)
                          """)
                      .param("id", work)
                      .param("token", Callbacks.hash(token))
                      .query(Long.class)
                      .single()
                  == 1;
      if (known) {
        return work;
      }
    } catch (IllegalArgumentException e) {
      // told below, like one that is not known
    }
    throw Problem.unauthenticated(
        "give the token of the call as " + TOKEN + "; this one does not belong to that callback");
  }

  private static @Nullable String result(CallbackBody body) {
    String text = body.result() == null ? null : body.result().toString();
    int bytes = text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LONGEST_RESULT) {
      throw Problem.invalid(
          "result",
          "result must be at most "
              + LONGEST_RESULT
              + " bytes of JSON, but has "
              + bytes
              + "; store it elsewhere and give its name");
    }
    return text;
  }

  private static Optional<String> text(String field, @Nullable String text) {
    if (text != null && text.length() > LONGEST_TEXT) {
      throw Problem.invalid(
          field,
          field + " must be at most " + LONGEST_TEXT + " characters, but has " + text.length());
    }
    return Optional.ofNullable(text).map(given -> given.replace('\0', ' '));
  }

  private CallbackAnswer progress(UUID work, CallbackBody body) {
    Double progress = body.progress();
    if (progress != null && !(progress >= 0 && progress <= 1)) {
      throw Problem.invalid("progress", "progress must be 0 to 1, but was " + progress);
    }
    int changed =
        sql.of(
                """
                update @remote_work
                   set progress = coalesce(:progress::float8, progress), doing = coalesce(:doing, doing)
                 where id = :id and state = 'WAITING'
                """)
            .param("progress", progress)
            .param("doing", text("doing", body.doing()).orElse(null))
            .param("id", work)
            .update();
    if (changed == 0) {
      throw over(work);
    }
    return new CallbackAnswer("WAITING");
  }

  private CallbackAnswer end(
      UUID work,
      RemoteWork.State state,
      Optional<String> result,
      Optional<String> error,
      boolean permanent) {
    Optional<Changed> changed =
        sql.of(
                """
                update @remote_work
                   set state = :state, result = :result, error = :error, permanent = :permanent,
                       accepted = true, ended_at = clock_timestamp()
                 where id = :id and state = 'WAITING'
                returning job_id, ended_at
                """)
            .param("state", state.name())
            .param("result", result.orElse(null))
            .param("error", error.orElse(null))
            .param("permanent", permanent)
            .param("id", work)
            .query(
                (row, number) ->
                    new Changed(row.getLong("job_id"), row.getTimestamp("ended_at").toInstant()))
            .optional();
    if (changed.isPresent()) {
      works.signal(changed.get().job(), changed.get().endedAt());
    } else if (!state.name().equals(state(work))) { // said twice is said once
      throw over(work);
    }
    return new CallbackAnswer(state.name());
  }

  private String state(UUID work) {
    return sql.of("select state from @remote_work where id = :id")
        .param("id", work)
        .query(String.class)
        .optional()
        .orElse("CANCELLED");
  }

  private Problem over(UUID work) {
    String state = state(work);
    return Problem.conflict("callback-over", "this callback is no longer awaited: it is " + state)
        .with("state", state);
  }
}
