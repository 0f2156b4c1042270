package dev.monotick.chaos.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process that was started here. It hears lines on its standard input, and ends when that does,
 * so that none outlives the process that started it; what it says on standard output is handed on
 * line by line.
 */
public final class ChildProcess implements AutoCloseable {

  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    // A process that was stopped by a signal hears nothing, not even that nobody is left.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "reaper"));
  }

  private final String name;
  private final Process process;
  private final BufferedWriter input;
  private final Thread reader;

  private ChildProcess(String name, Process process, Consumer<String> lines) {
    this.name = name;
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    this.reader = new Thread(() -> read(lines), name + "-output");
    reader.setDaemon(true);
  }

  /** Starts a program; {@code lines} gets what it says, on a thread of its own. */
  public static ChildProcess start(JavaProgram program, Consumer<String> lines) {
    ProcessBuilder builder = new ProcessBuilder(program.command());
    builder.environment().putAll(program.environment());
    builder.redirectError(ProcessBuilder.Redirect.appendTo(program.log().toFile()));
    try {
      ChildProcess child = new ChildProcess(program.name(), builder.start(), lines);
      RUNNING.add(child.process);
      child.reader.start();
      return child;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program.name(), e);
    }
  }

  /** Returns the id of the process. */
  public long pid() {
    return process.pid();
  }

  /** Says whether it has not ended. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Says a line to the process. */
  public void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell " + name + " \"" + line + "\"", e);
    }
  }

  /** Stops it in its tracks: SIGSTOP. Returns when all of it stands still. */
  public void pause() {
    Signals.stop(pid());
  }

  /** Lets it go on: SIGCONT. */
  public void resume() {
    Signals.send("CONT", pid());
  }

  /** Kills it: SIGKILL, which no process can catch. Returns when it is gone. */
  public void kill() {
    process.destroyForcibly();
    awaitExit(Duration.ofSeconds(10));
  }

  /** Waits until it has ended and all it said was handed on. */
  public void awaitExit(Duration patience) {
    try {
      if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException(name + " has not ended within " + patience);
      }
      reader.join(patience.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the end of " + name, e);
    }
    RUNNING.remove(process);
  }

  @Override
  public void close() {
    kill();
  }

  private void read(Consumer<String> lines) {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.accept(line);
      }
    } catch (IOException e) {
      // It was killed in the middle of a line.
    }
  }
}
