package dev.monotick.postgres;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is logged while it is open: slf4j-simple writes to the error stream of the moment. */
final class CapturedLog implements AutoCloseable {

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private CapturedLog() {}

  /** Begins to capture, until closed. */
  static CapturedLog open() {
    CapturedLog log = new CapturedLog();
    System.setErr(new PrintStream(log.bytes, true, StandardCharsets.UTF_8));
    return log;
  }

  /** Returns the lines of that level that contain the text. */
  List<String> lines(String level, String text) {
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains(" " + level + " ") && line.contains(text))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
    before.print(bytes.toString(StandardCharsets.UTF_8));
  }
}
