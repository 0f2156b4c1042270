package dev.monotick.examples.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns a view into lines of at most {@value #WIDTH} characters. A pure function of the view. */
final class TruthTable {

  /** How wide lines may be. */
  static final int WIDTH = 79;

  private final ClusterView view;
  private final TextStyle ink;

  TruthTable(ClusterView view, TextStyle ink) {
    this.view = view;
    this.ink = ink;
  }

  /** Returns who runs, who leads, and by what right. */
  List<String> replicas() {
    return view.replicas().stream().map(this::replica).toList();
  }

  private String replica(ClusterView.ReplicaRow row) {
    String name = String.format(Locale.ROOT, "%-9s", row.name());
    String cut = row.cut() ? ink.bad("  cut off from the store") : "";
    return switch (row.state()) {
      case LEADS ->
          ink.good(ink.strong(" * " + name))
              + ink.good("leads")
              + String.format(
                  Locale.ROOT, "    fence %s, valid for %s", row.fence(), seconds(row.validFor()))
              + cut;
      case FOLLOWS -> "   " + name + (row.cut() ? ink.bad("cut off from the store") : "follows");
      case STOPPING -> "   " + name + ink.notable("stopping");
      case STOPPED -> ink.faint("   " + name + "stopped");
    };
  }

  /** Returns the table of tasks, with its head. */
  List<String> tasks() {
    List<String> lines = new ArrayList<>();
    lines.add(
        ink.strong(format("task", "mode", "next", "last outcome", "ran on", "runs", "refused")));
    for (ClusterView.TaskRow row : view.tasks()) {
      String line =
          format(
              row.name(),
              row.mode().name(),
              next(row.next()),
              row.last(),
              row.ranOn(),
              Long.toString(row.runs()),
              Long.toString(row.refused()));
      lines.add(line.replace(row.last(), outcome(row.last())));
    }
    return lines;
  }

  private static String format(String... cells) {
    return String.format(Locale.ROOT, " %-13s %-13s  %6s  %-16s %-10s %5s %7s", (Object[]) cells);
  }

  private static String next(@Nullable Duration next) {
    return next == null ? "-" : seconds(next);
  }

  private String outcome(String last) {
    if (last.startsWith("SUCCEEDED")) {
      return ink.good(last);
    }
    return last.startsWith("FAILED") || last.startsWith("UNKNOWN")
        ? ink.bad(last)
        : ink.notable(last);
  }

  /** Returns the account of ticks and messages. */
  List<String> proof() {
    ClusterView.Proof ticks = view.proof();
    Outbox.Figures mail = view.outbox();
    return List.of(
        account(
            "ticks due %d = %d ran + %d skipped or missed + %d open",
            "duplicates=",
            ticks.duplicates(),
            ticks.due(),
            ticks.ran(),
            ticks.notRun(),
            ticks.open()),
        account(
            "messages  %d = %d sent + %d waiting",
            "sent twice=", mail.sentTwice(), mail.put(), mail.sent(), mail.waiting()));
  }

  private String account(String sum, String word, long wrong, Object... figures) {
    String left = " " + String.format(Locale.ROOT, sum, figures);
    String verdict = word + wrong;
    String gap = " ".repeat(Math.max(2, WIDTH - 1 - left.length() - verdict.length()));
    return left + gap + ink.strong(wrong == 0 ? ink.good(verdict) : ink.bad(verdict));
  }

  static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
  }

  /** Returns the text without what does not fit. */
  static String clipped(String text, int width) {
    return text.length() <= width ? text : text.substring(0, width);
  }
}
