package dev.monotick.chaos.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Makes the report from records of runs; what people wrote is in a template beside this class. */
public final class ChaosReport {

  private static final String NOT_JUDGED = "–";

  private static final String TEMPLATE = "proof.md";

  private final List<RunRecord> runs;
  private final List<RunRecord> controls;

  private ChaosReport(List<RunRecord> records) {
    this.runs = records.stream().filter(record -> !record.isControl()).toList();
    this.controls = records.stream().filter(RunRecord::isControl).toList();
  }

  /** Returns the text of the report. */
  public static String of(List<RunRecord> records) {
    ChaosReport report = new ChaosReport(records);
    return template()
        .replace("{{runs}}", report.runs())
        .replace("{{invariants}}", report.invariants())
        .replace("{{control}}", report.control())
        .replace("{{faults}}", report.faults())
        .replace("{{failover}}", report.failover());
  }

  private static String template() {
    try (InputStream text = ChaosReport.class.getResourceAsStream(TEMPLATE)) {
      if (text == null) {
        throw new IllegalStateException(TEMPLATE + " is not on the class path");
      }
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String runs() {
    StringBuilder table =
        new StringBuilder(
            "| | " + each(RunRecord::title) + "\n|---|" + "---|".repeat(runs.size()) + "\n");
    for (String line : List.of("date", "minutes", "replicas", "seed", "machine")) {
      table.append("| ").append(line).append(" | ").append(each(run -> run.get(line))).append('\n');
    }
    for (String figure : RunFigures.SHOWN.keySet()) {
      table
          .append("| ")
          .append(RunFigures.SHOWN.get(figure))
          .append(" | ")
          .append(each(run -> bold(figure, run.get("figure." + figure))))
          .append('\n');
    }
    return table.toString();
  }

  /** What must be 0 catches the eye. */
  private static String bold(String figure, String value) {
    if (value.isEmpty()) {
      return NOT_JUDGED;
    }
    return RunFigures.MUST_BE_ZERO.contains(figure) ? "**" + value + "**" : grouped(value);
  }

  private String invariants() {
    StringBuilder table =
        new StringBuilder(
            "| | promise | rests on | "
                + each(run -> "violations: " + run.title())
                + "\n|---|---|---|"
                + "---|".repeat(runs.size())
                + "\n");
    for (Invariant invariant : Invariant.values()) {
      table
          .append("| ")
          .append(invariant)
          .append(" | ")
          .append(invariant.text())
          .append(" | ")
          .append(invariant.basis().text)
          .append(" | ")
          .append(
              each(
                  run ->
                      invariant.basis() == Invariant.Basis.MEASURED
                          ? NOT_JUDGED
                          : judged(run.get("violations." + invariant))))
          .append('\n');
    }
    return table.toString();
  }

  /** A run on record may be older than a rule. */
  private static String judged(String violations) {
    return violations.isEmpty() ? NOT_JUDGED : violations;
  }

  private String control() {
    if (controls.isEmpty()) {
      return "No control is on record.\n";
    }
    return controls.stream()
        .map(
            run ->
                "- "
                    + run.title()
                    + ", "
                    + run.get("minutes")
                    + " minutes, seed "
                    + run.get("seed")
                    + ": **"
                    + grouped(run.get("figure.duplicates"))
                    + " effects took place more than once**, in "
                    + run.get("figure.faults")
                    + " faults and "
                    + run.get("figure.takeovers")
                    + " takeovers.\n")
        .collect(Collectors.joining());
  }

  private String faults() {
    Map<String, String> numbers = new TreeMap<>();
    runs.forEach(run -> numbers.putAll(run.under("number.")));
    StringBuilder table =
        new StringBuilder(
            "| fault | | "
                + each(RunRecord::title)
                + "\n|---|---|"
                + "---|".repeat(runs.size())
                + "\n");
    numbers.forEach(
        (fault, number) ->
            table
                .append("| ")
                .append(fault)
                .append(" | ")
                .append(number)
                .append(" | ")
                .append(each(run -> Long.toString(run.number("fault." + fault))))
                .append('\n'));
    return table.toString();
  }

  private String failover() {
    StringBuilder text = new StringBuilder();
    for (RunRecord run : runs) {
      text.append("**")
          .append(run.title())
          .append(
              "**, leases of 2 s\n\n| what struck the leader | n | p50 s | p99 s | longest s |\n")
          .append("|---|---|---|---|---|\n");
      run.under("failover.")
          .forEach(
              (fault, values) ->
                  text.append("| ")
                      .append(fault)
                      .append(" | ")
                      .append(values.replace(" ", " | "))
                      .append(" |\n"));
      text.append('\n');
    }
    return text.toString();
  }

  /** Makes a cell of a run. */
  private interface Cell {
    String of(RunRecord run);
  }

  private String each(Cell cell) {
    return runs.stream().map(run -> cell.of(run) + " |").collect(Collectors.joining(" "));
  }

  private static String grouped(String number) {
    return number.matches("[0-9]+")
        ? String.format(Locale.ROOT, "%,d", Long.parseLong(number))
        : number;
  }
}
