package dev.monotick.postgres.schema;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs that a test starts. */
final class Program {

  private Program() {}

  /** Returns where a program is installed, if it is. */
  static Optional<String> find(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.concat(Stream.of(path.split(File.pathSeparator)), Stream.of("/usr/sbin"))
        .map(folder -> new File(folder, name))
        .filter(File::canExecute)
        .map(File::getPath)
        .findFirst();
  }

  /** Runs a program to its end and returns what it printed; anything but success is a failure. */
  static String run(List<String> command, String input) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var stdin = process.getOutputStream()) {
      stdin.write(input.getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new AssertionError(command + " failed:\n" + output);
    }
    return output;
  }
}
