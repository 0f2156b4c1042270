package dev.monotick.chaos.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What is kept of a run: names and values, one a line, so that a report can be made from several
 * runs that took place at different times.
 *
 * @param values by name, in the order they were written
 */
public record RunRecord(Map<String, String> values) {

  private static final String SUFFIX = ".txt";

  /** Copies the values. */
  public RunRecord {
    values = new LinkedHashMap<>(values);
  }

  /** Returns the value of a name, empty if there is none. */
  String get(String name) {
    return values.getOrDefault(name, "");
  }

  /** Returns the number of a name, 0 if there is none. */
  long number(String name) {
    String value = get(name);
    return value.isEmpty() ? 0 : Long.parseLong(value);
  }

  /** Returns the values whose names begin so, by the rest of their names. */
  Map<String, String> under(String prefix) {
    Map<String, String> found = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            found.put(name.substring(prefix.length()), value);
          }
        });
    return found;
  }

  /** Returns what the columns of a table call it. */
  String title() {
    return get("title");
  }

  boolean isControl() {
    return get("control").equals("true");
  }

  /** Writes it into a folder, in place of an older one of the same name. */
  public void write(Path folder, String name) {
    List<String> lines = new ArrayList<>();
    values.forEach((key, value) -> lines.add(key + "=" + value));
    try {
      Files.createDirectories(folder);
      Files.write(folder.resolve(name + SUFFIX), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads all that are in a folder, by their names. */
  public static List<RunRecord> read(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<RunRecord> records = new ArrayList<>();
      for (Path file : files.filter(path -> path.toString().endsWith(SUFFIX)).sorted().toList()) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
          int equals = line.indexOf('=');
          if (equals > 0) {
            values.put(line.substring(0, equals), line.substring(equals + 1));
          }
        }
        records.add(new RunRecord(values));
      }
      return records;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
