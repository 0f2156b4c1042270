package dev.monotick.server.access;

import dev.monotick.server.support.Api;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Every operation that a running server says it has. */
final class Operations {

  private static final Set<String> METHODS =
      Set.of("get", "put", "post", "delete", "patch", "head", "options");
  private static final Pattern VARIABLE = Pattern.compile("([a-z-]+)/\\{([A-Za-z]+)\\}");

  /**
   * One of them.
   *
   * @param method its method
   * @param path its path, with variables
   * @param role the role it needs; empty if it says none
   * @param platform whether it needs a key of no tenant
   * @param node all that the document says of it
   */
  record Operation(String method, String path, String role, boolean platform, JsonNode node) {

    boolean isWrite() {
      return !method.equals("GET") && !method.equals("HEAD");
    }

    boolean hasVariables() {
      return path.contains("{");
    }

    /** Returns its path with values for what is in braces, by the collection it is of. */
    String path(Function<String, String> values) {
      Matcher matcher = VARIABLE.matcher(path);
      StringBuilder filled = new StringBuilder();
      while (matcher.find()) {
        matcher.appendReplacement(
            filled,
            Matcher.quoteReplacement(
                matcher.group(1)
                    + "/"
                    + values.apply(matcher.group(1) + "/{" + matcher.group(2) + "}")));
      }
      matcher.appendTail(filled);
      if (filled.indexOf("{") >= 0) {
        throw new AssertionError(this + " has a variable that follows no collection");
      }
      return filled.toString();
    }

    Api.Answer call(Api api, String filled, Map<String, Object> bodies) {
      Object body = isWrite() ? bodies.getOrDefault(method + " " + path, "{}") : null;
      return api.call(method, filled, body);
    }

    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  private Operations() {}

  static List<Operation> read(Api api) {
    JsonNode document = api.get("/v1/openapi").body();
    List<Operation> operations = new ArrayList<>();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        each -> {
                          if (METHODS.contains(each.getKey())) {
                            JsonNode node = each.getValue();
                            operations.add(
                                new Operation(
                                    each.getKey().toUpperCase(Locale.ROOT),
                                    path.getKey(),
                                    node.path("x-role").asString(""),
                                    node.path("x-platform").asBoolean(false),
                                    node));
                          }
                        }));
    return operations;
  }
}
