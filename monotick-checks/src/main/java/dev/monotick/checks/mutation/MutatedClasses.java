package dev.monotick.checks.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Loads all classes of the product and of its tests anew, the edited ones from what was compiled
 * here. Classes that are shared come from the usual loader.
 */
public final class MutatedClasses extends ClassLoader {

  private final Path folder;
  private final Predicate<String> isShared;

  private MutatedClasses(Path folder, Predicate<String> isShared) {
    super(MutatedClasses.class.getClassLoader());
    this.folder = folder;
    this.isShared = isShared;
  }

  /**
   * Applies edits, compiles what they change, and returns a loader of the result.
   *
   * @param edits none for the product as it is
   * @param folder an empty folder for what is compiled
   * @param isShared whether a class, by its name, comes from the usual loader
   */
  public static MutatedClasses of(List<Edit> edits, Path folder, Predicate<String> isShared)
      throws IOException {
    Path result = folder.resolve("classes");
    List<String> words = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", result.toString()));
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    int options = words.size();
    for (Map.Entry<String, String> text : Edit.apply(edits).entrySet()) {
      boolean isClass = text.getKey().endsWith(".java");
      Path file = (isClass ? folder.resolve("sources") : result).resolve(text.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, text.getValue());
      if (isClass) {
        words.add(file.toString());
      }
    }
    if (words.size() > options) {
      StringWriter said = new StringWriter();
      PrintWriter out = new PrintWriter(said);
      ToolProvider compiler = ToolProvider.findFirst("javac").orElseThrow();
      int status = compiler.run(out, out, words.toArray(new String[0]));
      assertThat(status).as("%s does not compile: %s", edits, said).isZero();
    }
    return new MutatedClasses(result, isShared);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      return name.startsWith("dev.monotick.") && !isShared.test(name)
          ? define(name)
          : super.loadClass(name, resolve);
    }
  }

  @Override
  public @Nullable URL getResource(String name) {
    Path edited = folder.resolve(name);
    if (!Files.isRegularFile(edited)) {
      return super.getResource(name);
    }
    try {
      return edited.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new AssertionError(e);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream stream = getResourceAsStream(name.replace('.', '/') + ".class")) {
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
