package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.spi.ToolProvider;

/**
 * A wrong version of the product, made from its source by replacing pieces of it.
 *
 * @param name what is wrong with it
 * @param expected the invariants one of which must break first
 * @param firstSeed where to look for it, so that rare moments need not be waited for
 * @param edits what is replaced by what
 */
record Mutant(String name, Set<String> expected, long firstSeed, List<Edit> edits) {

  private static final Path SOURCES = Path.of("..", "monotick-core", "src", "main", "java");

  /** A piece of the source of a class that must be there once, and what stands in its place. */
  record Edit(String type, String original, String replacement) {}

  static Mutant of(String name, String type, Set<String> expected, String... edits) {
    return new Mutant(name, expected, 1, List.of()).and(type, edits);
  }

  /** Adds edits, of another class perhaps. */
  Mutant and(String type, String... texts) {
    List<Edit> all = new ArrayList<>(edits);
    for (int i = 0; i < texts.length; i += 2) {
      all.add(new Edit("dev.monotick." + type, texts[i], texts[i + 1]));
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

  private Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Edit edit : edits) {
      String before = sources.get(edit.type());
      if (before == null) {
        before = Files.readString(SOURCES.resolve(edit.type().replace('.', '/') + ".java"));
      }
      int at = before.indexOf(edit.original());
      assertThat(at).as("%s: its source has no more: %s", name, edit.original()).isNotNegative();
      assertThat(before.indexOf(edit.original(), at + 1))
          .as("%s: its source has twice: %s", name, edit.original())
          .isNegative();
      sources.put(edit.type(), before.replace(edit.original(), edit.replacement()));
    }
    return sources;
  }

  /**
   * Compiles it and returns a loader in which everything of ours stands on it.
   *
   * @param folder an empty one, for what is compiled
   */
  ClassLoader load(Path folder) throws IOException {
    Path classes = folder.resolve("classes");
    List<String> words =
        new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString()));
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    for (Map.Entry<String, String> source : sources().entrySet()) {
      Path file = folder.resolve(source.getKey().replace('.', '/') + ".java");
      Files.createDirectories(file.getParent());
      words.add(Files.writeString(file, source.getValue()).toString());
    }
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    ToolProvider compiler = ToolProvider.findFirst("javac").orElseThrow();
    int status = compiler.run(out, out, words.toArray(new String[0]));
    assertThat(status).as("%s does not compile: %s", name, said).isZero();
    return new ChildFirst(classes);
  }

  /** Loads everything of ours anew, the mutant's classes from what was compiled. */
  private static final class ChildFirst extends ClassLoader {

    private final Path mutated;

    ChildFirst(Path mutated) {
      super(Mutant.class.getClassLoader());
      this.mutated = mutated;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        // The log is found by a service file, and knows nothing of what is loaded here.
        return name.startsWith("dev.monotick.") && !name.contains("CapturedLog")
            ? define(name)
            : super.loadClass(name, resolve);
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      Path compiled = mutated.resolve(file);
      try (InputStream stream =
          Files.exists(compiled) ? Files.newInputStream(compiled) : getResourceAsStream(file)) {
        if (stream == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = stream.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
