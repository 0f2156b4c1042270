package dev.monotick.checks;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * No name of the product contains a word that {@code docs/glossary.md} has replaced: types,
 * methods, fields, record components (which are the fields of the REST API), SQL identifiers,
 * metrics and settings.
 */
final class OldWordsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern MAIN_JAVA =
      Pattern.compile("[a-z-]+(?:/[a-z-]+)?/src/main/java/.*\\.java");
  private static final Pattern MAIN_SQL = Pattern.compile("[a-z-]+/src/main/resources/.*\\.sql");
  private static final Pattern SQL_NOISE = Pattern.compile("--[^\\n]*|'(?:[^']|'')*'|\\bfloor\\(");
  private static final Pattern SQL_NAME = Pattern.compile("[a-z][a-z0-9_]*");
  private static final Pattern DOTTED_NAME = Pattern.compile("\"(monotick\\.[a-z0-9.-]+)\"");
  private static final Pattern PART = Pattern.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+");

  private final Rules rules = Rules.read();

  @Test
  void javaNamesHaveNoOldWords() throws IOException {
    assertThat(violations(javaNames())).isEmpty();
  }

  @Test
  void sqlIdentifiersHaveNoOldWords() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path file : files(MAIN_SQL)) {
      String sql = SQL_NOISE.matcher(Files.readString(file)).replaceAll(" ");
      SQL_NAME
          .matcher(sql)
          .results()
          .forEach(name -> names.add(file.getFileName() + ": " + name.group()));
    }
    assertThat(names).hasSizeGreaterThan(300);
    assertThat(violations(names)).isEmpty();
  }

  @Test
  void metricsAndSettingsHaveNoOldWords() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path file : files(MAIN_JAVA)) {
      DOTTED_NAME
          .matcher(Files.readString(file))
          .results()
          .forEach(name -> names.add(file.getFileName() + ": " + name.group(1)));
    }
    assertThat(names).hasSizeGreaterThan(100);
    assertThat(violations(names)).isEmpty();
  }

  @Test
  void oldAndNewWordsAreInTheGlossary() throws IOException {
    String glossary = Files.readString(ROOT.resolve("docs/glossary.md"));
    int middle = glossary.indexOf("\n## Words we no longer use");
    assertThat(middle).isPositive();
    Set<String> words = firstColumn(glossary.substring(0, middle));
    Set<String> replaced = firstColumn(glossary.substring(middle));
    rules.replacements.forEach(
        (old, now) -> {
          assertThat(words).as("new words for %s", old).containsAll(now);
          assertThat(replaced).as("replaced words").anyMatch(word -> covers(word, old));
        });
  }

  @Test
  void aNameIsSplitIntoItsWords() {
    assertThat(words("Type.java: openTurnOf")).isEqualTo("open turn of");
    assertThat(words("a.sql: job_open_turn")).isEqualTo("job open turn");
    assertThat(words("Type.java: HTTPServer2")).isEqualTo("http server2");
    assertThat(rules.oldWordIn("leave the turn open")).contains("turn");
    assertThat(rules.oldWordIn("return turnstile look up")).isEmpty();
  }

  /**
   * Returns whether a word of the glossary covers an old word: "look" covers "looked", "settle"
   * covers "settling".
   */
  private static boolean covers(String word, String old) {
    return Stream.of("", "s", "ed", "ing").anyMatch(ending -> old.equals(word + ending))
        || old.equals(word.replaceFirst("e$", "ing"));
  }

  private List<String> violations(Set<String> names) {
    return names.stream()
        .filter(name -> !rules.oldWordIn(words(name)).isEmpty())
        .map(name -> name + " has " + rules.oldWordIn(words(name)))
        .toList();
  }

  /** Returns what follows the name of the file, as lower-case words. */
  private static String words(String found) {
    String name = found.substring(found.indexOf(": ") + 2);
    return PART.matcher(name)
        .results()
        .map(part -> part.group().toLowerCase(Locale.ROOT))
        .collect(joining(" "));
  }

  private static Set<String> firstColumn(String table) {
    Set<String> cells = new TreeSet<>();
    Pattern.compile("(?m)^\\| ([^|]+?) \\|")
        .matcher(table)
        .results()
        .forEach(
            row -> {
              String cell = row.group(1).replaceAll(" \\(.*\\)$", "");
              cells.add(cell);
              cells.addAll(List.of(cell.split(", ")));
            });
    return cells;
  }

  private static List<Path> files(Pattern path) throws IOException {
    try (Stream<Path> all = Files.walk(ROOT)) {
      return all.filter(Files::isRegularFile)
          .filter(
              file -> path.matcher(ROOT.relativize(file).toString().replace('\\', '/')).matches())
          .sorted()
          .toList();
    }
  }

  /**
   * Returns the names that main code declares, but for local variables and parameters of methods.
   */
  private static Set<String> javaNames() throws IOException {
    List<Path> sources = files(MAIN_JAVA);
    assertThat(sources).hasSizeGreaterThan(500);
    JavaCompiler compiler =
        Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "needs a JDK");
    Set<String> names = new TreeSet<>();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  null,
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(sources));
      for (CompilationUnitTree unit : task.parse()) {
        String file = Path.of(unit.getSourceFile().getName()).getFileName().toString();
        unit.accept(new Declarations(file, names), null);
      }
    }
    return names;
  }

  /**
   * Collects the names of types, methods and fields. Record components are fields of their type.
   */
  private static final class Declarations extends TreeScanner<Void, Void> {

    private final String file;
    private final Set<String> names;

    Declarations(String file, Set<String> names) {
      this.file = file;
      this.names = names;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      names.add(file + ": " + type.getSimpleName());
      type.getMembers().stream()
          .filter(VariableTree.class::isInstance)
          .map(VariableTree.class::cast)
          .forEach(field -> names.add(file + ": " + field.getName()));
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      names.add(file + ": " + method.getName());
      return super.visitMethod(method, null);
    }
  }

  /**
   * What {@code old-words.txt} says.
   *
   * @param replacements old words, and what is said instead
   * @param allowed pieces of names in which old words are allowed
   */
  private record Rules(Map<String, List<String>> replacements, List<String> allowed) {

    static Rules read() {
      Map<String, List<String>> replacements = new LinkedHashMap<>();
      List<String> allowed = new ArrayList<>();
      lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(
              line -> {
                if (line.startsWith("+")) {
                  allowed.add(line.substring(1).strip());
                } else {
                  String[] sides = line.split(" = ", 2);
                  replacements.put(sides[0].strip(), List.of(sides[1].strip().split(", ")));
                }
              });
      assertThat(replacements).hasSizeGreaterThan(40);
      return new Rules(replacements, allowed);
    }

    private static Stream<String> lines() {
      try (InputStream file =
          Objects.requireNonNull(OldWordsTest.class.getResourceAsStream("old-words.txt"))) {
        return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Returns the first old word in a name that is given as words; empty if there is none. */
    String oldWordIn(String name) {
      String padded = " " + name + " ";
      for (String piece : allowed) {
        padded = padded.replace(" " + piece + " ", " ");
      }
      String rest = padded;
      return replacements.keySet().stream()
          .filter(old -> rest.contains(" " + old + " "))
          .findFirst()
          .orElse("");
    }
  }
}
