package dev.monotick.server.schedule.spec;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** RFC 7396: what is named is replaced, null removes, objects are merged. */
public final class MergePatch {

  private MergePatch() {}

  public static JsonNode apply(JsonNode target, JsonNode patch) {
    if (!(patch instanceof ObjectNode changes)) {
      return patch;
    }
    ObjectNode merged =
        target instanceof ObjectNode object ? object.deepCopy() : changes.objectNode();
    changes
        .properties()
        .forEach(
            change -> {
              if (change.getValue().isNull()) {
                merged.remove(change.getKey());
              } else {
                merged.set(change.getKey(), apply(merged.path(change.getKey()), change.getValue()));
              }
            });
    return merged;
  }
}
