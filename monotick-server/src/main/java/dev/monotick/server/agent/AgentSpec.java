package dev.monotick.server.agent;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent as it describes itself, or an inventory does.
 *
 * @param name what the tenant calls it
 * @param labels what it has, so that work finds it
 * @param version of its program
 * @param capabilities what it can do, such as names of commands
 */
record AgentSpec(
    @Nullable String name,
    @Nullable Map<String, String> labels,
    @Nullable String version,
    @Nullable List<String> capabilities) {

  /** Returns it with defaults filled in; refuses, under names below the field's, what cannot be. */
  Checked checked(String field) {
    String given = Optional.ofNullable(version).orElse("");
    if (given.length() > 100 || given.indexOf('\0') >= 0) {
      throw Problem.invalid(field + "version", field + "version must be at most 100 characters");
    }
    List<String> able = capabilities == null ? List.of() : capabilities;
    boolean wrong =
        able.size() > 500
            || able.stream()
                .anyMatch(each -> each == null || each.length() > 200 || each.indexOf('\0') >= 0);
    if (wrong) {
      throw Problem.invalid(
          field + "capabilities",
          field + "capabilities must be at most 500 texts of at most 200 characters");
    }
    return new Checked(
        RequestFields.name(field + "name", name, 100),
        AgentLabels.checked(field + "labels", labels),
        given,
        List.copyOf(able));
  }

  /** The same, complete. */
  record Checked(
      String name, Map<String, String> labels, String version, List<String> capabilities) {}
}
