package dev.monotick.chaos.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The process that started this one, as seen from here. */
public final class ParentProcess {

  private ParentProcess() {}

  /** Hands on every line the parent says; ends this process at once when the parent is gone. */
  public static void listen(Consumer<String> lines) {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        lines.accept(line);
      }
    } catch (IOException e) {
      // As good as its end.
    }
    Runtime.getRuntime().halt(3);
  }
}
