package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What a benchmark prints at its end: a table in Markdown, and lines that a script can read. */
final class Report {

  private final List<String> table = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

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
  void settings(List<Contender> contenders, Use use) {
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
              + Figures.ratio(value.applyAsDouble(first), value.applyAsDouble(other)));
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

  void print() {
    System.out.println(text());
  }
}
