package dev.monotick.server.execution;

import dev.monotick.job.JobRequest;
import tools.jackson.databind.JsonNode;

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
}
