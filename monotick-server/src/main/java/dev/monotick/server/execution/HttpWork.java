package dev.monotick.server.execution;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobRequest;
import dev.monotick.server.engine.JobHandling;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestBodies;
import dev.monotick.server.remote.Callbacks;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Jobs of the kind {@code http}. */
@Component
class HttpWork implements WorkType {

  private static final JobKind<HttpCall> KIND = JobKind.named("http", HttpCall.class);

  /** So that a call ends by its own time, which says more of what happened. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private final JsonMapper json;
  private final Callbacks callbacks;
  private final Duration longest;

  HttpWork(JsonMapper json, Callbacks callbacks, ServerSettings settings) {
    this.json = json;
    this.callbacks = callbacks;
    this.longest = settings.get(ExecutionSettings.HTTP_TIMEOUT);
  }

  @Override
  public String kind() {
    return KIND.name();
  }

  @Override
  public JobRequest<?> request(JsonNode payload) {
    HttpCall call = RequestBodies.read(json, "payload", payload, HttpCall.class);
    if (call.callback() && !callbacks.isReachable()) {
      throw Problem.invalid(
          "payload.callback",
          "payload.callback needs an address under which others reach this installation; an operator"
              + " sets it as MONOTICK_PUBLIC_URL");
    }
    return KIND.of(call).timeout(HttpRun.timeout(call, longest).plus(MARGIN));
  }

  @Bean
  JobHandling<HttpCall> httpHandling(HttpRun run) {
    return new JobHandling<>(KIND, run::run);
  }
}
