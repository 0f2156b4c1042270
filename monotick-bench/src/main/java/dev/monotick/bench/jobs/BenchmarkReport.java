package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a benchmark tells at its end: a table in Markdown, what a reader must know, lines that a
 * script can read, and perhaps a chart.
 */
final class BenchmarkReport {

  private final String title;
  private final List<String> table = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private @Nullable BarChart chart;

  /** Begins a report of something: what was measured, in a few words. */
  BenchmarkReport(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  List<String> table() {
    return table;
  }

  List<String> notes() {
    return notes;
  }

  List<String> lines() {
    return lines;
  }

  @Nullable BarChart chart() {
    return chart;
  }

  void chart(BarChart drawn) {
    chart = drawn;
  }

  void head(List<String> cells) {
    table.add("");
    row(cells);
    table.add("|" + "---|".repeat(cells.size()));
  }

  void row(List<String> cells) {
    table.add("| " + String.join(" | ", cells) + " |");
  }

  void note(String text) {
    notes.add(text);
  }

  /** Names the settings of all. */
  void settings(List<Contender> contenders, EngineUse use) {
    for (Contender contender : contenders) {
      note("- " + contender.about().title() + ": " + contender.settings(use) + ".");
    }
  }

  void line(String text) {
    lines.add(text);
  }

  /** Adds a line for each other contender: the value of the first to that of the other. */
  void ratios(String word, List<Contender> contenders, ToDoubleFunction<Contender> value) {
    Contender first = contenders.get(0);
    for (Contender other : contenders.subList(1, contenders.size())) {
      line(
          word
              + " "
              + first.name()
              + "/"
              + other.name()
              + " "
              + FigureFormat.ratio(value.applyAsDouble(first), value.applyAsDouble(other)));
    }
  }

  String text() {
    List<String> all = new ArrayList<>(table);
    all.add("");
    all.addAll(notes);
    all.add("");
    all.addAll(lines);
    return String.join("\n", all);
  }
}
