package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

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

  /** Compiles it and returns a loader in which everything of ours stands on it. */
  ClassLoader load() throws IOException {
    Map<String, ByteArrayOutputStream> classes = new HashMap<>();
    List<JavaFileObject> files = new ArrayList<>();
    sources().forEach((type, source) -> files.add(file(type, source)));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"));
      boolean done =
          compiler
              .getTask(complaints, keeping(standard, classes), null, options, null, files)
              .call();
      assertThat(done).as("%s does not compile: %s", name, complaints).isTrue();
    }
    return new ChildFirst(classes);
  }

  private static JavaFileObject file(String type, String source) {
    URI uri = URI.create("string:///" + type.replace('.', '/') + ".java");
    return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
  }

  private static JavaFileManager keeping(
      StandardJavaFileManager standard, Map<String, ByteArrayOutputStream> classes) {
    return new ForwardingJavaFileManager<JavaFileManager>(standard) {
      @Override
      public JavaFileObject getJavaFileForOutput(
          Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
        return new SimpleJavaFileObject(URI.create("mem:///" + className), kind) {
          @Override
          public OutputStream openOutputStream() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            classes.put(className, bytes);
            return bytes;
          }
        };
      }
    };
  }

  /** Loads everything of ours anew, the mutant's classes from what was compiled. */
  private static final class ChildFirst extends ClassLoader {

    private final Map<String, ByteArrayOutputStream> mutated;

    ChildFirst(Map<String, ByteArrayOutputStream> mutated) {
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
        return name.startsWith("dev.monotick.") && !name.contains("CapturedLog")
            ? define(name)
            : super.loadClass(name, resolve);
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      ByteArrayOutputStream compiled = mutated.get(name);
      byte[] bytes = compiled == null ? read(name) : compiled.toByteArray();
      return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] read(String name) throws ClassNotFoundException {
      try (InputStream stream = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (stream == null) {
          throw new ClassNotFoundException(name);
        }
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
