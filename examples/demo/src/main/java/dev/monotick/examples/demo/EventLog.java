package dev.monotick.examples.demo;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The newest lines of what happened. Thread-safe. */
final class EventLog {

  /** How many lines are kept. */
  static final int LINES = 6;

  private final Deque<String> lines = new ArrayDeque<>();
  private final Supplier<Instant> now;
  private final DateTimeFormatter format;
  private final Consumer<String> follower;

  /**
   * Creates a log.
   *
   * @param follower gets every line as it comes
   */
  EventLog(Supplier<Instant> now, ZoneId zone, Consumer<String> follower) {
    this.now = now;
    this.format = DateTimeFormatter.ofPattern("HH:mm:ss").withZone(zone);
    this.follower = follower;
  }

  synchronized void add(String text) {
    String line = format.format(now.get()) + " " + text;
    lines.add(line);
    if (lines.size() > LINES) {
      lines.remove();
    }
    follower.accept(line);
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
