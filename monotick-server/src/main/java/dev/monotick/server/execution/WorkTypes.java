package dev.monotick.server.execution;

import dev.monotick.job.JobRequest;
import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

/** All kinds of work there are. */
@Component
public class WorkTypes {

  private final Map<String, WorkType> types = new TreeMap<>();

  WorkTypes(List<WorkType> types) {
    types.forEach(each -> this.types.put(each.kind(), each));
  }

  /** Makes a job of a kind and payload; refuses, under the field's name, what cannot be. */
  public JobRequest<?> request(String kind, JsonNode payload) {
    WorkType type = types.get(kind);
    if (type == null) {
      throw Problem.invalid(
          "kind", "kind must be one of " + types.keySet() + ", but was \"" + kind + "\"");
    }
    return type.request(payload);
  }
}
