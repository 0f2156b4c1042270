package dev.monotick.server.job.intake;

import dev.monotick.job.JobRequest;
import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.problem.RequestFields;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The work that somebody wants, as REST has it: the same for a job that is created ad hoc and for
 * what a schedule fires. Only {@code kind} and {@code payload} must be given.
 */
public record JobSpec(
    @Nullable String kind,
    @Nullable JsonNode payload,
    @Nullable String queue,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts,
    @Nullable String timeout,
    @Nullable String uniqueKey,
    @Nullable String limitKey) {

  /** Makes a job of it; refuses, under the field's name, what cannot be. */
  public JobRequest<?> request(String tenant, WorkTypes types) {
    JobRequest<?> request =
        types
            .request(
                RequestFields.required("kind", kind), RequestFields.required("payload", payload))
            .tenant(tenant);
    if (queue != null) {
      request = with("queue", request, r -> r.queue(queue));
    }
    if (priority != null) {
      request = with("priority", request, r -> r.priority(priority));
    }
    if (maxAttempts != null) {
      request = with("maxAttempts", request, r -> r.maxAttempts(maxAttempts));
    }
    if (timeout != null) {
      Duration longest = RequestFields.duration("timeout", timeout);
      request = with("timeout", request, r -> r.timeout(longest));
    }
    if (uniqueKey != null) {
      request = with("uniqueKey", request, r -> r.uniqueKey(uniqueKey));
    }
    if (limitKey != null) {
      request = with("limitKey", request, r -> r.limitKey(limitKey));
    }
    return request;
  }

  private interface Change {
    JobRequest<?> apply(JobRequest<?> request);
  }

  private static JobRequest<?> with(String field, JobRequest<?> request, Change change) {
    return RequestFields.checked(field, () -> change.apply(request));
  }

  /** Returns the kind, for people. */
  public String title() {
    return Optional.ofNullable(kind).orElse("?");
  }
}
