package dev.monotick.bench.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Bars with their numbers, as SVG that is readable on light and dark ground. A group has a bar for
 * each series, on one scale.
 */
final class BarChart {

  private static final int WIDTH = 760;
  private static final int LABELS = 240;
  private static final int NUMBERS = 80;
  private static final int BAR = 16;
  private static final int GAP = 14;
  private static final int TOP = 64;
  private static final List<String> COLOURS = List.of("#2f81f7", "#8b949e", "#3fb950");

  private final String title;
  private final List<String> series;
  private final List<Group> groups = new ArrayList<>();

  private record Group(String name, List<Double> values) {}

  BarChart(String title, List<String> series) {
    this.title = title;
    this.series = series;
  }

  String title() {
    return title;
  }

  /** Adds a group, with a value for each series. */
  void group(String name, List<Double> values) {
    if (values.size() != series.size()) {
      throw new IllegalArgumentException(
          name + " has " + values.size() + " values, but there are series " + series);
    }
    groups.add(new Group(name, values));
  }

  String svg() {
    double most =
        groups.stream()
            .flatMap(group -> group.values().stream())
            .filter(Double::isFinite)
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    int step = series.size() * BAR + GAP;
    int height = TOP + groups.size() * step + GAP;
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
            + " role=\"img\" aria-label=\"%s\">",
        WIDTH,
        height,
        WIDTH,
        height,
        escaped(title));
    add(
        svg,
        "<style>text{font:13px system-ui,sans-serif;fill:#24292f}.t{font-size:15px;font-weight:600}"
            + "@media(prefers-color-scheme:dark){text{fill:#d0d7de}}</style>");
    add(svg, "<text class=\"t\" x=\"8\" y=\"22\">%s</text>", escaped(title));
    for (int i = 0; i < series.size(); i++) {
      int x = LABELS + i * 180;
      add(svg, "<rect x=\"%d\" y=\"36\" width=\"12\" height=\"12\" fill=\"%s\"/>", x, colour(i));
      add(svg, "<text x=\"%d\" y=\"47\">%s</text>", x + 18, escaped(series.get(i)));
    }
    for (int i = 0; i < groups.size(); i++) {
      bars(svg, groups.get(i), TOP + i * step, most);
    }
    return svg.append("</svg>\n").toString();
  }

  private void bars(StringBuilder svg, Group group, int top, double most) {
    add(
        svg,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
        LABELS - 10,
        top + series.size() * BAR / 2 + 5,
        escaped(group.name()));
    for (int i = 0; i < series.size(); i++) {
      double value = group.values().get(i);
      int y = top + i * BAR;
      int width = (int) Math.round(Math.max(1, length(value, most)));
      add(
          svg,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\"/>",
          LABELS,
          y,
          width,
          BAR - 2,
          colour(i));
      add(
          svg,
          "<text x=\"%d\" y=\"%d\">%s</text>",
          LABELS + width + 6,
          y + BAR - 4,
          FigureFormat.format(value));
    }
  }

  private static double length(double value, double most) {
    return Double.isFinite(value) ? value / most * (WIDTH - LABELS - NUMBERS) : 0;
  }

  private static String colour(int series) {
    return COLOURS.get(series % COLOURS.size());
  }

  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
