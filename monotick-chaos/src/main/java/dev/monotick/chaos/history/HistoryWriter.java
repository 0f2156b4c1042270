package dev.monotick.chaos.history;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Writes the history of this process to its standard output. Thread-safe. */
public final class HistoryWriter {

  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  /** Tells what happened just now; the fields are names and values in turn. */
  public void write(String kind, Object... fields) {
    write(HistoryEvent.now(kind, fields));
  }

  /** Tells an event. */
  public synchronized void write(HistoryEvent event) {
    out.println(event.line());
    out.flush();
  }
}
