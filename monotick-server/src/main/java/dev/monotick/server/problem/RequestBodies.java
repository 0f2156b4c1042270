package dev.monotick.server.problem;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/** Says what is wrong with JSON that somebody sent, and where. */
public final class RequestBodies {

  private RequestBodies() {}

  /** Reads part of a body that depends on another part; problems are named below that field. */
  public static <T> T read(JsonMapper json, String field, JsonNode node, Class<T> type) {
    try {
      return json.treeToValue(node, type);
    } catch (JacksonException e) {
      throw problem(field, e);
    }
  }

  /** Returns the problem with a body. */
  static Problem problem(String below, @Nullable Throwable cause) {
    if (cause instanceof Problem problem) {
      return problem;
    }
    if (cause instanceof UnrecognizedPropertyException e) {
      String field = path(below, e.getPath());
      String known =
          e.getKnownPropertyIds() == null
              ? ""
              : e.getKnownPropertyIds().stream()
                  .map(String::valueOf)
                  .sorted()
                  .collect(Collectors.joining(", ", "; there are ", ""));
      return Problem.invalid(field, field + " is not known" + known);
    }
    if (cause instanceof DatabindException e) {
      for (Throwable at = e.getCause(); at != null; at = at.getCause()) {
        if (at instanceof Problem problem) {
          return problem;
        }
      }
      String field = path(below, e.getPath());
      return Problem.invalid(
          field, (field.isEmpty() ? "the body" : field) + ": " + e.getOriginalMessage());
    }
    if (cause instanceof JacksonException e) {
      String field = path(below, e.getPath()); // numbers that are too large have one
      return Problem.invalid(
          field, (field.isEmpty() ? "the body is no JSON" : field) + ": " + e.getOriginalMessage());
    }
    return Problem.invalid(below, "the body is missing or cannot be read");
  }

  private static String path(String below, @Nullable List<JacksonException.Reference> path) {
    StringBuilder text = new StringBuilder(below);
    for (JacksonException.Reference each :
        path == null ? List.<JacksonException.Reference>of() : path) {
      if (each.getPropertyName() != null) {
        text.append(text.isEmpty() ? "" : ".").append(each.getPropertyName());
      } else {
        text.append('[').append(each.getIndex()).append(']');
      }
    }
    return text.toString();
  }
}
