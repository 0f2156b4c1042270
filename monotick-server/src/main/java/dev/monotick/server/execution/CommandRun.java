package dev.monotick.server.execution;

import dev.monotick.job.JobContext;
import dev.monotick.server.execution.CommandWork.CommandResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One run of a command. Its output goes to a file and not through a pipe: so nobody has to read it
 * while it runs, and a child that outlives the command and keeps a pipe open holds up nobody.
 *
 * <p>The agent has something like it, on purpose apart: it reads lines while the command runs and
 * never waits, this one waits and is cancelled by its job. What is alike is how a process is
 * started and killed, forty lines; the only module that both know is the core, which knows nothing
 * of processes, and a module for them would cost every user of either more than it saves.
 */
final class CommandRun {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  /** Nobody reads that much, and the disk is everybody's. */
  private static final long MOST_OUTPUT = 64L << 20;

  private final Path executable;
  private final Command command;
  private final int outputLimit;

  /** A command that returned something else than 0, or had to be stopped. */
  static final class FailedException extends Exception {

    private static final long serialVersionUID = 1L;

    FailedException(String message) {
      super(message, null, false, false);
    }
  }

  CommandRun(Path executable, Command command, int outputLimit) {
    this.executable = executable;
    this.command = command;
    this.outputLimit = outputLimit;
  }

  CommandResult run(JobContext<Command> job)
      throws IOException, InterruptedException, FailedException {
    Path output = Files.createTempFile("monotick-command", ".out");
    try {
      Process process = start(job, output);
      boolean tooMuch = false;
      try {
        while (!process.waitFor(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
          job.checkCancelled();
          tooMuch = Files.size(output) > MOST_OUTPUT;
          if (tooMuch) {
            break;
          }
        }
      } finally {
        kill(process);
      }
      if (tooMuch) {
        throw new FailedException("stopped, because it wrote more than " + MOST_OUTPUT + " bytes");
      }
      return result(process.exitValue(), output);
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private Process start(JobContext<Command> job, Path output) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(executable.toString());
    line.addAll(command.args());
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.redirectInput(new java.io.File("/dev/null"));
    Map<String, String> environment = builder.environment();
    String path = Optional.ofNullable(environment.get("PATH")).orElse("/usr/bin:/bin");
    environment.clear(); // the server's own has keys and passwords
    environment.put("PATH", path);
    environment.put("LANG", "C.UTF-8");
    environment.putAll(command.env());
    environment.put("MONOTICK_JOB", job.id().toString());
    environment.put("MONOTICK_ATTEMPT", String.valueOf(job.attempt()));
    environment.put("MONOTICK_FENCE", String.valueOf(job.run()));
    environment.put("MONOTICK_IDEMPOTENCY_KEY", job.idempotencyKey());
    return builder.start();
  }

  /**
   * Ends it with its children, which are looked up first: those of a parent that is gone cannot be
   * found any more.
   */
  private static void kill(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  private CommandResult result(int exitCode, Path output) throws IOException, FailedException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(output)) {
      bytes = in.readNBytes(outputLimit);
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (exitCode != 0) {
      String end = text.length() <= 2_000 ? text : text.substring(text.length() - 2_000);
      throw new FailedException("exit code " + exitCode + (end.isBlank() ? "" : "\n" + end));
    }
    return new CommandResult(exitCode, text, Files.size(output) > outputLimit);
  }
}
