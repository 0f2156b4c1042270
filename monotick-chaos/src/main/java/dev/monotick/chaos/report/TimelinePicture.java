package dev.monotick.chaos.report;

import dev.monotick.chaos.history.Journal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Draws a part of a run: one line for each replica and one for the database, time to the right. */
public final class TimelinePicture {

  private static final Duration LENGTH = Duration.ofSeconds(90);
  private static final int LEFT = 70;
  private static final int WIDTH = 1500;
  private static final int TOP = 56;
  private static final int LINE = 64;

  private final Timeline timeline;
  private final List<String> places;
  private final StringBuilder svg = new StringBuilder();

  private TimelinePicture(Timeline timeline) {
    this.timeline = timeline;
    this.places = timeline.places();
  }

  /** Returns the picture of the part of a run in which most happened, as SVG. */
  public static String of(List<Journal.Entry> journal, String title) {
    return new TimelinePicture(Timeline.of(journal, LENGTH)).draw(title);
  }

  private String draw(String title) {
    int height = TOP + LINE * places.size() + 70;
    int width = LEFT + WIDTH + 20;
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"11\">",
        width, height);
    add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
    add("<text x=\"10\" y=\"20\" font-size=\"15\" fill=\"#222\">%s</text>", escape(title));
    grid(height);
    timeline.lives.forEach(span -> bar(span, 22, 20, "#e8ecf1", ""));
    timeline.faults.forEach(this::fault);
    timeline.terms.forEach(span -> bar(span, 26, 12, "#2f6fb3", "term " + span.text()));
    timeline.effects.forEach(this::effect);
    legend(TOP + LINE * places.size() + 40);
    return svg.append("</svg>\n").toString();
  }

  private void grid(int height) {
    long seconds = (timeline.until - timeline.from) / 1_000_000_000;
    for (long second = 0; second <= seconds; second += 10) {
      double x = x(timeline.from + second * 1_000_000_000);
      add(
          "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>",
          x, x, TOP - 8, height - 66);
      add("<text x=\"%.1f\" y=\"%d\" fill=\"#666\">%d s</text>", x, TOP - 12, second);
    }
    for (String place : places) {
      add(
          "<text x=\"10\" y=\"%d\" fill=\"#222\" font-size=\"13\">%s</text>",
          y(place) + 37, escape(place));
    }
  }

  private void fault(Timeline.Span span) {
    if (!isShown(span.from(), span.until()) || !places.contains(span.place())) {
      return;
    }
    bar(span, 18, 28, "#d9534f33", span.text());
    // Neighbours write on different lines.
    int row = Math.floorMod(span.text().hashCode(), 2);
    add(
        "<text x=\"%.1f\" y=\"%d\" fill=\"#a02622\" font-size=\"10\">%s</text>",
        x(Math.max(span.from(), timeline.from)),
        y(span.place()) + (row == 0 ? 14 : 57),
        escape(span.text()));
  }

  private void effect(Timeline.Dot dot) {
    if (!isShown(dot.at(), dot.at()) || !places.contains(dot.place())) {
      return;
    }
    if (dot.accepted()) {
      add(
          "<circle cx=\"%.1f\" cy=\"%d\" r=\"2.2\" fill=\"#ffffff\" stroke=\"#16345a\"/>",
          x(dot.at()), y(dot.place()) + 32);
    } else {
      double x = x(dot.at());
      int y = y(dot.place()) + 32;
      add(
          "<path d=\"M%.1f %d l10 10 m0 -10 l-10 10\" stroke=\"#c00\" stroke-width=\"2.5\""
              + " fill=\"none\"><title>refused by its fence</title></path>",
          x - 5, y - 5);
    }
  }

  private void bar(Timeline.Span span, int offset, int height, String colour, String title) {
    if (!isShown(span.from(), span.until()) || !places.contains(span.place())) {
      return;
    }
    double x = x(Math.max(span.from(), timeline.from));
    double end = x(Math.min(span.until(), timeline.until));
    add(
        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>",
        x, y(span.place()) + offset, Math.max(end - x, 1.5), height, colour, escape(title));
  }

  private void legend(int y) {
    add(
        "<text x=\"%d\" y=\"%d\" fill=\"#444\">grey: the process lives · blue: it relies on its"
            + " leadership · circle: an effect of the leader's task · red cross: an effect refused by"
            + " its fence · red: a fault</text>",
        LEFT, y);
  }

  private boolean isShown(long from, long until) {
    return until >= timeline.from && from <= timeline.until;
  }

  private double x(long nanos) {
    double share = (double) (nanos - timeline.from) / (timeline.until - timeline.from);
    return LEFT + WIDTH * share;
  }

  private int y(String place) {
    return TOP + LINE * places.indexOf(place);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
