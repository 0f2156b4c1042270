package dev.monotick.server.job.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.monotick.server.remote.RemoteWorkView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * All that is known of a job.
 *
 * @param job what lists show of it
 * @param payload what it was given
 * @param rules how it is treated
 * @param headers what travels with it
 * @param attempts what became of its claims, oldest first
 * @param result what came out of it
 * @param endedAt when it ended; null if it has not
 * @param remoteWork what was last begun for it at an agent or a called service; null if nothing was
 */
public record JobDetail(
    @JsonUnwrapped JobView job,
    JsonNode payload,
    Rules rules,
    Map<String, String> headers,
    List<Attempt> attempts,
    @Nullable JsonNode result,
    @Nullable Instant endedAt,
    RemoteWorkView.@Nullable Seen remoteWork) {

  /**
   * How it is treated.
   *
   * @param maxAttempts how often it is tried
   * @param timeout how long one attempt may take
   * @param deadline after that moment no attempt begins
   * @param effect what it promises when its replica dies in the middle
   * @param approvalWithin how long it waits for approval; null if it needs none
   */
  record Rules(
      int maxAttempts,
      Duration timeout,
      @Nullable Instant deadline,
      String effect,
      @Nullable Duration approvalWithin) {}

  /**
   * What became of a claim.
   *
   * @param run which claim, from 1
   * @param attempt which attempt, from 1
   * @param outcome how it ended
   * @param replica who had it
   * @param startedAt when its handler began
   * @param endedAt when the end was recorded
   * @param took how long the handler ran
   * @param detail error or reason
   */
  record Attempt(
      int run,
      int attempt,
      String outcome,
      @Nullable String replica,
      @Nullable Instant startedAt,
      Instant endedAt,
      Duration took,
      @Nullable String detail) {}
}
