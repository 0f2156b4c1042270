package dev.monotick.bench.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the statements in the log of a server that logs all of them with their duration. */
final class StatementLog {

  /** What a server must be started with. */
  static final Map<String, String> SETTINGS =
      Map.of(
          "log_min_duration_statement", "0",
          "log_parameter_max_length", "0",
          "log_line_prefix", "%a|",
          "max_connections", "500");

  /** What the benchmark itself asks. */
  static final String OWN = "/* bench */ ";

  /** How the statements of an idle replica begin, and what they are for. */
  private static final Map<String, String> PURPOSES =
      Map.of(
          "select 1", "is the session for notices alive",
          "select k.task, k.nominal", "ticks that wait, have lost their replica or are reported on",
          "with held as materialized", "membership: a beat, and who else lives",
          "with renewed as", "the leader renews its term",
          "select pg_try_advisory_lock", "a follower asks whether it can lead",
          "select * from", "upkeep: partitions and what is too old");

  private static final Pattern LINE =
      Pattern.compile(
          "^[^|]*\\|LOG:  duration: ([0-9.]+) ms  (?:(parse|bind|execute) [^:]*|statement): (.*)$");

  private final Path log;
  private long position;

  /** What is known of the statements of one kind. */
  static final class Kind {
    private long count;
    private double planMillis;
    private double runMillis;

    long count() {
      return count;
    }

    /** Returns the time that the server spent on parsing and planning one, on average. */
    double planMillis() {
      return planMillis / Math.max(1, count);
    }

    /** Returns the time that the server spent on executing one, on average. */
    double runMillis() {
      return runMillis / Math.max(1, count);
    }
  }

  StatementLog(Path log) throws IOException {
    this.log = log;
    mark();
  }

  /** Forgets all that was logged until now. */
  void mark() throws IOException {
    position = Files.size(log);
  }

  /** Returns the statements since the mark, by what they are for. */
  Map<String, Kind> read() throws IOException {
    byte[] all = Files.readAllBytes(log);
    String text =
        new String(all, (int) position, all.length - (int) position, StandardCharsets.UTF_8);
    Map<String, Kind> kinds = new TreeMap<>();
    text.lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .filter(line -> !line.group(3).startsWith(OWN.strip()))
        .forEach(
            line -> {
              Kind kind = kinds.computeIfAbsent(purpose(line.group(3)), name -> new Kind());
              String step = line.group(2);
              double millis = Double.parseDouble(line.group(1));
              if (step == null || step.equals("execute")) {
                kind.count++;
                kind.runMillis += millis;
              } else {
                kind.planMillis += millis;
              }
            });
    return kinds;
  }

  /** Prints a line for each kind of statement. */
  static void print(Map<String, Kind> kinds, double units) {
    kinds.forEach(
        (name, kind) ->
            System.out.printf(
                Locale.ROOT,
                "  %8.3f  plan %7.3f ms  run %7.3f ms  %s%n",
                kind.count() / units,
                kind.planMillis(),
                kind.runMillis(),
                name));
  }

  private static String purpose(String sql) {
    String text = sql.strip().replaceAll("\\s+", " ");
    String start = text.length() > 80 ? text.substring(0, 80) + " .." : text;
    for (Map.Entry<String, String> known : PURPOSES.entrySet()) {
      if (text.startsWith(known.getKey())) {
        return known.getValue() + ": " + start;
      }
    }
    return start;
  }
}
