package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The server's first process, as it describes itself in its data folder. The description may be one
 * that a killed server has left; by then its number may belong to any other process.
 *
 * @param pid the number of its process
 * @param data its data folder, as it was called when it was started
 * @param port where it listens, 0 while it does not say
 * @param status such as {@code ready}; empty in the first moments
 */
record Postmaster(long pid, String data, int port, String status) {

  private static final int PID = 0;
  private static final int DATA = 1;
  private static final int PORT = 3;
  private static final int STATUS = 7;

  static Path file(ServerFolder folder) {
    return folder.data().resolve("postmaster.pid");
  }

  /** Reads what the last server has said about itself; empty if it was stopped in good order. */
  static Optional<Postmaster> read(ServerFolder folder) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(file(folder));
      return parse(new String(bytes, StandardCharsets.UTF_8).lines().toList());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Lines are added one by one; a file that is empty or cut off counts for what it says. */
  static Optional<Postmaster> parse(List<String> lines) {
    try {
      long pid = Long.parseLong(line(lines, PID));
      String port = line(lines, PORT);
      return Optional.of(
          new Postmaster(
              pid,
              line(lines, DATA),
              port.isEmpty() ? 0 : Integer.parseInt(port),
              line(lines, STATUS)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static String line(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index).strip() : "";
  }

  boolean isReady() {
    return status.equals("ready") || status.equals("standby");
  }

  boolean isStopping() {
    return status.equals("stopping");
  }

  /** Says whether the process is alive, and a server's first process, and that of this folder. */
  boolean isAlive() {
    if (!Processes.isAlive(pid)) {
      return false;
    }
    List<String> words = Processes.commandLine(pid);
    if (words.isEmpty() || words.get(0).isEmpty()) {
      return true; // cannot be known: rather refuse to start beside a server than do it
    }
    int folder = words.indexOf("-D") + 1;
    return words.get(0).matches("(.*/)?postgres")
        && (folder == 0 || folder >= words.size() || words.get(folder).equals(data));
  }

  /**
   * Lets the server end when its clients have left, or when this process has ended; it takes no new
   * clients. Does not wait for that.
   */
  void stopWithThisProcess() throws IOException {
    signal("TERM");
    // Clients of other processes, such as a forgotten psql, would keep it alive.
    new ProcessBuilder(
            "sh",
            "-c",
            "n=0; while [ $n -lt 600 ] && kill -0 $0 && kill -0 $1; do sleep 0.1; n=$((n+1)); done;"
                + " kill -0 $0 || kill -s INT $1",
            Long.toString(ProcessHandle.current().pid()),
            Long.toString(pid))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Lets go of all clients, ends in good order and waits for that; says whether it has ended. */
  boolean stop(int seconds) throws IOException {
    signal("INT");
    return Polling.await(seconds, () -> !isAlive());
  }

  /** Ends at once; the next start will recover from the log, as after a crash. */
  boolean abort(int seconds) throws IOException {
    signal("QUIT");
    return Polling.await(seconds, () -> !isAlive());
  }

  private void signal(String name) throws IOException {
    if (isAlive()) {
      // A shell knows how to send signals even where there is no program for it.
      Commands.run(List.of("sh", "-c", "kill -s " + name + " " + pid));
    }
  }
}
