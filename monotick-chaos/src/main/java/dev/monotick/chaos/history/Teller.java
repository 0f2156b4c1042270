package dev.monotick.chaos.history;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Writes the history of this process to its standard output. Thread-safe. */
public final class Teller {

  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  /** Tells what happened just now; the fields are names and values in turn. */
  public void tell(String kind, Object... fields) {
    tell(Event.now(kind, fields));
  }

  /** Tells an event. */
  public synchronized void tell(Event event) {
    out.println(event.line());
    out.flush();
  }
}
