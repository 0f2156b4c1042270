package dev.monotick.server.execution;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobRequest;
import dev.monotick.server.problem.RequestBodies;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A kind of work that tenants may ask for over REST, as a bean. */
public interface WorkType {

  /** Returns the kind's name, such as {@code http}. */
  String kind();

  /**
   * Makes a job of a payload, for no tenant yet.
   *
   * @throws dev.monotick.server.problem.Problem that names the field, if the payload cannot be
   */
  JobRequest<?> request(JsonNode payload);

  /**
   * Returns work of a kind whose payload is read as its type: fields that the type does not have
   * are refused, and so is what its constructor refuses.
   */
  static <P> WorkType of(JobKind<P> kind, JsonMapper json) {
    return new WorkType() {
      @Override
      public String kind() {
        return kind.name();
      }

      @Override
      public JobRequest<?> request(JsonNode payload) {
        return kind.of(RequestBodies.read(json, "payload", payload, kind.payloadType()));
      }
    };
  }
}
