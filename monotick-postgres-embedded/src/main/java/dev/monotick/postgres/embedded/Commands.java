package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs programs of the machine to their end. */
final class Commands {

  private static final Logger LOG = LoggerFactory.getLogger(Commands.class);
  private static final int LAST_LINES = 8;
  private static final int SECONDS_BETWEEN_REMARKS = 10;

  private Commands() {}

  /**
   * What a program left behind.
   *
   * @param exitCode zero if it went well
   * @param output what it wrote, to standard output and standard error
   */
  record Result(int exitCode, String output) {
    boolean isOk() {
      return exitCode == 0;
    }

    /** Returns where a program that failed says why. */
    String lastLines() {
      List<String> lines = output.lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }
  }

  /** Runs a program that writes little, and waits for its end. */
  static Result run(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            // The working folder may be closed to the user that the program is run as.
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile());
    cleanEnvironment(builder.environment());
    Process process = builder.start();
    try {
      while (!process.waitFor(SECONDS_BETWEEN_REMARKS, TimeUnit.SECONDS)) {
        LOG.info("still waiting for pid={} command={}", process.pid(), command);
      }
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.exitValue(), output.strip());
    } catch (InterruptedException e) {
      end(process);
      Thread.currentThread().interrupt();
      throw new EmbeddedPostgresException("interrupted while " + command + " was run", e);
    }
  }

  /** Waits for it, as what it works on is going to be cleared away. */
  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(SECONDS_BETWEEN_REMARKS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly(); // the caller is about to say that it was interrupted
    }
  }

  /** Says whether a program can be run and ends well. */
  static boolean succeeds(List<String> command) {
    try {
      return run(command).isOk();
    } catch (IOException e) {
      return false; // there is no such program
    }
  }

  /** Quotes a word so that a shell takes it as it is. */
  static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** Variables such as PGDATA or PGPORT are meant for other servers, and would confuse ours. */
  private static void cleanEnvironment(Map<String, String> environment) {
    environment.keySet().removeIf(name -> name.startsWith("PG"));
    environment.put("LC_ALL", "C");
    environment.put("TZ", "UTC");
  }
}
