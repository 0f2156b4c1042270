package dev.monotick.server.web;

import dev.monotick.server.problem.Problem;
import org.jspecify.annotations.Nullable;

/** Entity tags: a thing's version in quotes. */
public final class EntityTags {

  private EntityTags() {}

  /** Returns the tag of a version. */
  public static String tag(long version) {
    return "\"" + version + "\"";
  }

  /**
   * Refuses a change of another version than the caller has seen; {@code *} means any. Check it
   * where the row is locked.
   */
  public static void require(@Nullable String ifMatch, long version) {
    if (ifMatch == null || ifMatch.isBlank()) {
      throw Problem.versionNeeded(
          "say which version you mean by If-Match: "
              + tag(version).replace("\"", "\\\"")
              + " as its ETag says, or If-Match: * for whichever it is");
    }
    optional(ifMatch, version);
  }

  /** The same, but a caller who does not say which version he means is taken to mean any. */
  public static void optional(@Nullable String ifMatch, long version) {
    if (ifMatch == null || ifMatch.isBlank() || ifMatch.strip().equals("*")) {
      return;
    }
    for (String each : ifMatch.split(",", -1)) {
      String tag = each.strip();
      if (tag.equals(tag(version)) || tag.equals("W/" + tag(version))) {
        return;
      }
    }
    throw Problem.changed(
            "it was changed meanwhile: If-Match was " + ifMatch + ", its ETag is " + tag(version))
        .with("version", version);
  }
}
