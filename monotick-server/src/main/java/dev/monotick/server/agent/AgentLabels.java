package dev.monotick.server.agent;

import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Labels: what agents have, and what work asks for. */
final class AgentLabels {

  private static final int MOST = 50;

  private AgentLabels() {}

  /** Returns labels that somebody gave; refuses, under the field's name, what cannot be. */
  static Map<String, String> checked(String field, @Nullable Map<String, String> given) {
    Map<String, String> labels = new TreeMap<>();
    if (given == null) {
      return labels;
    }
    if (given.size() > MOST) {
      throw Problem.invalid(
          field, field + " must be at most " + MOST + ", but are " + given.size());
    }
    given.forEach((name, value) -> add(field, labels, name, value));
    return labels;
  }

  /** Reads {@code name=value} each. */
  static Map<String, String> parsed(String field, @Nullable List<String> texts) {
    Map<String, String> labels = new TreeMap<>();
    for (String text : texts == null ? List.<String>of() : texts) {
      int equals = text.indexOf('=');
      if (equals < 0) {
        throw Problem.invalid(
            field, field + " must be name=value, but was \"" + shortened(text) + "\"");
      }
      add(field, labels, text.substring(0, equals), text.substring(equals + 1));
    }
    return labels;
  }

  private static void add(
      String field, Map<String, String> labels, String name, @Nullable String value) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")
        || value == null
        || value.length() > 200
        || value.indexOf('\0') >= 0) {
      throw Problem.invalid(
          field,
          field
              + " must have names of 1 to 100 letters, digits and ._/- and values of at most 200"
              + " characters, but had \""
              + shortened(name)
              + "\"");
    }
    labels.put(name, value);
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "…";
  }
}
