package dev.monotick.bench.jobs;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the statements in the log of a server that logs all of them with their database.
 *
 * @param queries statements of each database that ask or change something
 * @param control those that begin and end transactions
 * @param texts how often each database was asked what, by the beginning of the statement
 */
record StatementCount(
    Map<String, Long> queries, Map<String, Long> control, Map<String, Map<String, Long>> texts) {

  private static final int LONGEST = 90;

  /** What a server must be started with. */
  static final Map<String, String> SETTINGS =
      Map.of(
          "log_min_duration_statement",
          "0",
          "log_parameter_max_length",
          "0",
          "log_line_prefix",
          "%d|");

  private static final Pattern LINE =
      Pattern.compile(
          "^([^|]*)\\|LOG:  duration: [0-9.]+ ms  (?:(parse|bind|execute) [^:]*|statement): (.*)$");
  private static final Pattern CONTROL =
      Pattern.compile("(?i)(begin|start transaction|commit|rollback)\\b.*");

  /** Counts what is in a part of the log. */
  static StatementCount of(String log) {
    StatementCount count = new StatementCount(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    log.lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .filter(line -> line.group(2) == null || line.group(2).equals("execute"))
        .forEach(
            line -> {
              boolean control =
                  CONTROL.matcher(line.group(3).strip().toLowerCase(Locale.ROOT)).matches();
              (control ? count.control : count.queries).merge(line.group(1), 1L, Long::sum);
              count
                  .texts
                  .computeIfAbsent(line.group(1), any -> new TreeMap<>())
                  .merge(beginning(line.group(3)), 1L, Long::sum);
            });
    return count;
  }

  private static String beginning(String sql) {
    String text = sql.strip().replaceAll("\\s+", " ");
    return text.length() > LONGEST ? text.substring(0, LONGEST) + " .." : text;
  }
}
