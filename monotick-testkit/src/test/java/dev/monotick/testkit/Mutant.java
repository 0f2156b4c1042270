package dev.monotick.testkit;

import dev.monotick.checks.mutation.Edit;
import dev.monotick.checks.mutation.MutatedClasses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A wrong version of the product, made from its source by replacing pieces of it.
 *
 * @param name what is wrong with it
 * @param expected the invariants one of which must break first
 * @param firstSeed where to look for it, so that rare moments need not be waited for
 * @param edits what is replaced by what
 */
record Mutant(String name, Set<String> expected, long firstSeed, List<Edit> edits) {

  static Mutant of(String name, String type, Set<String> expected, String... edits) {
    return new Mutant(name, expected, 1, List.of()).and(type, edits);
  }

  /** Adds edits, of another class perhaps. */
  Mutant and(String type, String... texts) {
    List<Edit> all = new ArrayList<>(edits);
    for (int i = 0; i < texts.length; i += 2) {
      all.add(Edit.ofClass("dev.monotick." + type, texts[i], texts[i + 1]));
    }
    return new Mutant(name, expected, firstSeed, all);
  }

  Mutant from(long seed) {
    return new Mutant(name, expected, seed, edits);
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * Compiles it and returns a loader in which everything of ours stands on it.
   *
   * @param folder an empty one, for what is compiled
   */
  ClassLoader load(Path folder) throws IOException {
    // The log is found by a service file, and knows nothing of what is loaded here.
    return MutatedClasses.of(edits, folder, type -> type.contains("CapturedLog"));
  }
}
