package dev.monotick.examples.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws frames one over the other, each by a single write. The first pushes up what was on the
 * terminal, the last stays. Thread-safe.
 */
final class TerminalScreen {

  /** What the keys do. */
  static final String HELP =
      " s stop the leader   p cut it off / heal   r restart the stopped   q quit";

  private static final String TO_TOP = "\033[H";
  private static final String CLEAR_REST_OF_LINE = "\033[K";
  private static final String CLEAR_BELOW = "\033[J";
  private static final String HIDE_CURSOR = "\033[?25l";
  private static final String SHOW_CURSOR = "\033[?25h";

  private final PrintStream out;
  private final boolean colour;
  private boolean begun;
  private boolean ended;

  /** The size of a terminal. */
  record Size(int rows, int columns) {}

  TerminalScreen(PrintStream out, boolean colour) {
    this.out = out;
    this.colour = colour;
  }

  /** Draws the view over the one before. */
  synchronized void draw(ClusterView view, Size size) {
    if (ended) {
      return;
    }
    boolean fits = size.columns >= TruthTable.WIDTH;
    List<String> lines = lines(view, colour && fits ? TextStyle.COLOUR : TextStyle.PLAIN);
    StringBuilder frame = new StringBuilder();
    if (!begun) {
      begun = true;
      frame.append("\n".repeat(size.rows)).append(HIDE_CURSOR);
    }
    frame.append(TO_TOP);
    int shown = Math.min(lines.size(), size.rows);
    for (int i = 0; i < shown; i++) {
      String line = lines.get(i);
      frame.append(fits ? line : TruthTable.clipped(line, size.columns));
      // Nothing after the last line: a new line there would scroll.
      frame.append(CLEAR_REST_OF_LINE).append(i + 1 < shown ? "\r\n" : "");
    }
    write(frame.append(CLEAR_BELOW));
  }

  /** Leaves the last frame where it is, and the cursor below it. */
  synchronized void end() {
    if (begun && !ended) {
      write(new StringBuilder("\r\n").append(SHOW_CURSOR));
    }
    ended = true;
  }

  /** Returns a frame of 24 lines. */
  static List<String> lines(ClusterView view, TextStyle ink) {
    TruthTable table = new TruthTable(view, ink);
    List<String> lines = new ArrayList<>();
    lines.add(title(view.uptime(), ink));
    lines.add("");
    lines.addAll(table.replicas());
    lines.add("");
    lines.addAll(table.tasks());
    lines.add("");
    lines.addAll(table.proof());
    lines.add("");
    for (int i = 0; i < EventLog.LINES; i++) {
      boolean there = i < view.events().size();
      lines.add(
          there
              ? ink.faint(" " + TruthTable.clipped(view.events().get(i), TruthTable.WIDTH - 1))
              : "");
    }
    lines.add(ink.strong(HELP));
    return lines;
  }

  private static String title(Duration uptime, TextStyle ink) {
    String name = " MONOTICK  one tick, one effect: three replicas, one store in memory";
    String time = String.format(Locale.ROOT, "%d:%02d", uptime.toMinutes(), uptime.toSecondsPart());
    String gap = " ".repeat(Math.max(1, TruthTable.WIDTH - 1 - name.length() - time.length()));
    return ink.strong(name) + gap + time;
  }

  private void write(StringBuilder frame) {
    byte[] bytes = frame.toString().getBytes(US_ASCII);
    out.write(bytes, 0, bytes.length);
    out.flush();
  }
}
