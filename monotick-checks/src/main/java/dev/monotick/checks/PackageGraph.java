package dev.monotick.checks;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The packages of all modules with what each is for and which others it imports, as Markdown. The
 * text stands in {@code docs/architecture.md} between two marks; {@code scripts/package-graph}
 * writes it.
 */
public final class PackageGraph {

  static final Path PAGE = Path.of("docs", "architecture.md");
  private static final String BEGIN = "<!-- package graph: written by scripts/package-graph -->\n";
  private static final String END = "<!-- end of package graph -->\n";
  private static final Pattern PACKAGE =
      Pattern.compile("^package (dev\\.monotick[\\w.]*);", Pattern.MULTILINE);
  private static final Pattern IMPORT =
      Pattern.compile(
          "^import (?:static )?(dev\\.monotick(?:\\.[a-z]\\w*)*)\\.[A-Z]", Pattern.MULTILINE);
  private static final Pattern DOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);

  private final Path root;

  /** Creates the graph of the repository in a folder. */
  public PackageGraph(Path root) {
    this.root = root;
  }

  /** Writes the graph into the page of the repository in the current folder. */
  public static void main(String[] arguments) throws IOException {
    Path page = Path.of("").resolve(PAGE);
    Files.writeString(page, new PackageGraph(Path.of("")).page(Files.readString(page)));
  }

  /** Returns the page with this graph between its marks. */
  String page(String page) throws IOException {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalStateException(PAGE + " lacks the lines\n" + BEGIN + END);
    }
    return page.substring(0, begin + BEGIN.length()) + text() + page.substring(end);
  }

  private String text() throws IOException {
    Map<String, Map<String, Set<String>>> modules = new TreeMap<>();
    Map<String, String> purposes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(this::isMainSource).sorted().toList()) {
        read(file, modules, purposes);
      }
    }
    StringBuilder text = new StringBuilder("\n").append(moduleGraph(modules)).append('\n');
    modules.forEach(
        (module, packages) -> {
          text.append("#### ")
              .append(module)
              .append("\n\n| package | for | uses |\n|---|---|---|\n");
          packages.forEach(
              (name, used) ->
                  text.append(
                      "| `%s` | %s | %s |\n"
                          .formatted(shorten(name), purposes.getOrDefault(name, ""), uses(used))));
          text.append('\n');
        });
    return text.toString();
  }

  private boolean isMainSource(Path file) {
    String path = "/" + pathOf(file); // the repository itself may be in a folder named target
    return path.contains("/src/main/java/") && path.endsWith(".java") && !path.contains("/target/");
  }

  private String pathOf(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  private void read(
      Path file, Map<String, Map<String, Set<String>>> modules, Map<String, String> purposes)
      throws IOException {
    String source = Files.readString(file);
    Matcher named = PACKAGE.matcher(source);
    if (!named.find()) {
      return; // a module-info
    }
    String name = named.group(1);
    String path = pathOf(file);
    String module = path.substring(0, path.indexOf("/src/main/java/"));
    Set<String> used =
        modules
            .computeIfAbsent(module, any -> new TreeMap<>())
            .computeIfAbsent(name, any -> new TreeSet<>());
    IMPORT
        .matcher(source)
        .results()
        .map(found -> found.group(1))
        .filter(other -> !other.equals(name))
        .forEach(used::add);
    if (file.endsWith("package-info.java")) {
      Matcher doc = DOC.matcher(source);
      if (doc.find()) {
        String words =
            doc.group(1).replaceAll("(?m)^\\s*\\*", " ").replaceAll("\\{@\\w+ ([^}]*)\\}", "$1");
        purposes.put(
            name,
            words
                .strip()
                .replaceAll("\\s+", " ")
                .replaceAll("(?<=\\.) .*", "")
                .replace("|", "\\|"));
      }
    }
  }

  /** Modules and what they use, without what follows from that. */
  private static String moduleGraph(Map<String, Map<String, Set<String>>> modules) {
    Map<String, String> moduleOf = new TreeMap<>();
    modules.forEach(
        (module, packages) -> packages.keySet().forEach(name -> moduleOf.put(name, module)));
    Map<String, Set<String>> uses = new TreeMap<>();
    modules.forEach(
        (module, packages) -> {
          Set<String> others = uses.computeIfAbsent(module, any -> new TreeSet<>());
          packages
              .values()
              .forEach(
                  used -> used.forEach(name -> others.add(moduleOf.getOrDefault(name, module))));
          others.remove(module);
        });
    StringBuilder text = new StringBuilder("```mermaid\nflowchart BT\n");
    uses.forEach(
        (module, others) ->
            others.stream()
                .filter(
                    other ->
                        others.stream()
                            .noneMatch(
                                third ->
                                    !third.equals(other)
                                        && uses.getOrDefault(third, Set.of()).contains(other)))
                .forEach(
                    other -> text.append("  %s --> %s\n".formatted(node(module), node(other)))));
    return text.append("```\n").toString();
  }

  private static String node(String module) {
    String name = module.replaceFirst("^monotick-", "").replaceFirst("^examples/", "");
    return name.replace('-', '_') + "[" + name + "]";
  }

  private static String shorten(String name) {
    return name.equals("dev.monotick") ? "(root)" : name.substring("dev.monotick.".length());
  }

  private static String uses(Set<String> names) {
    List<String> all = names.stream().map(PackageGraph::shorten).toList();
    return all.isEmpty() ? "–" : all.stream().collect(joining(", "));
  }
}
