package dev.monotick.examples.demo;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Single key presses, by way of {@code stty}; Java has no call for that. Ctrl-C still ends the
 * process. Thread-safe.
 */
final class Keyboard {

  private static final TerminalScreen.Size USUAL_SIZE = new TerminalScreen.Size(24, 80);

  private final String settingsBefore;
  private final BlockingQueue<Character> keys = new LinkedBlockingQueue<>(16);

  private Keyboard(String settingsBefore) {
    this.settingsBefore = settingsBefore;
  }

  /** Says whether both ends of this process are a terminal. */
  static boolean isTerminal() {
    // Not System.console(): from JDK 22 on there may be one without a terminal.
    return run(Redirect.INHERIT, Redirect.INHERIT, "sh", "-c", "test -t 0 && test -t 1") != null;
  }

  /** Begins to read keys as they are pressed; empty if the terminal cannot do that. */
  static Optional<Keyboard> open(InputStream in) {
    String before = stty("-g");
    if (before == null || stty("-icanon", "-echo", "min", "1", "time", "0") == null) {
      return Optional.empty();
    }
    Keyboard keyboard = new Keyboard(before.strip());
    Thread reader = new Thread(() -> keyboard.read(in), "demo-keyboard");
    reader.setDaemon(true);
    reader.start();
    return Optional.of(keyboard);
  }

  /** Waits for a key, at most that long. */
  Optional<Character> await(Duration longest) throws InterruptedException {
    return Optional.ofNullable(keys.poll(longest.toNanos(), TimeUnit.NANOSECONDS));
  }

  /** Returns how large the terminal is now. */
  TerminalScreen.Size size() {
    String answer = stty("size");
    String[] parts = answer == null ? new String[0] : answer.strip().split(" ", -1);
    try {
      int rows = Integer.parseInt(parts[0]);
      int columns = Integer.parseInt(parts[1]);
      return rows > 0 && columns > 0 ? new TerminalScreen.Size(rows, columns) : USUAL_SIZE;
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return USUAL_SIZE; // some terminals do not know
    }
  }

  /** Gives the terminal back as it was. */
  void close() {
    stty(settingsBefore);
  }

  private void read(InputStream in) {
    try {
      for (int key = in.read(); key >= 0; key = in.read()) {
        boolean unused = keys.offer((char) key); // who hammers on the keys loses some
      }
    } catch (IOException e) {
      // The terminal is gone, and so are its keys.
    }
  }

  private static @Nullable String stty(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "stty";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return run(Redirect.from(new File("/dev/tty")), Redirect.PIPE, command);
  }

  /** Returns what the command wrote, null if it failed. */
  private static @Nullable String run(Redirect in, Redirect out, String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(in)
              .redirectOutput(out)
              .redirectError(Redirect.DISCARD)
              .start();
      String written = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? written : null;
    } catch (IOException e) {
      return null; // no such command, or no terminal
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
