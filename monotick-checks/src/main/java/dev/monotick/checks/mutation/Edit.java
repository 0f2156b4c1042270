package dev.monotick.checks.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A piece of a source file that must be there exactly once, and what replaces it.
 *
 * @param module the folder of the module
 * @param file the path of the file below {@code src/main/java} or {@code src/main/resources}
 * @param original the piece
 * @param replacement what replaces it
 */
public record Edit(String module, String file, String original, String replacement) {

  /** Returns an edit of a class of a module. */
  public static Edit ofClass(String module, String name, String original, String replacement) {
    return new Edit(module, name.replace('.', '/') + ".java", original, replacement);
  }

  /** Returns an edit of a class, in the module that has its source. */
  public static Edit ofClass(String name, String original, String replacement) {
    Path source = Path.of("src", "main", "java").resolve(name.replace('.', '/') + ".java");
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      Path module =
          modules
              .filter(folder -> Files.exists(folder.resolve(source)))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no module has the class " + name));
      return ofClass(module.getFileName().toString(), name, original, replacement);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isOfClass() {
    return file.endsWith(".java");
  }

  private Path path() {
    Path main = Path.of("..", module, "src", "main");
    return main.resolve(isOfClass() ? "java" : "resources").resolve(file);
  }

  /** Returns the edited files by their names. */
  static Map<String, String> apply(List<Edit> edits) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    for (Edit edit : edits) {
      String before = texts.get(edit.file);
      if (before == null) {
        before = Files.readString(edit.path());
      }
      int at = before.indexOf(edit.original);
      assertThat(at).as("%s no longer contains: %s", edit.file, edit.original).isNotNegative();
      assertThat(before.indexOf(edit.original, at + 1))
          .as("%s contains twice: %s", edit.file, edit.original)
          .isNegative();
      texts.put(edit.file, before.replace(edit.original, edit.replacement));
    }
    return texts;
  }
}
