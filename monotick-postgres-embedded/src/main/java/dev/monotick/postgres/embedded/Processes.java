package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What can be learned about processes that this one has not started. */
final class Processes {

  private Processes() {}

  /** Says whether a process is alive. One that has ended is not, even if nobody has noticed yet. */
  static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false) && !hasEnded(pid);
  }

  /**
   * Returns the words of a process's command line, none if they cannot be known. A process may have
   * replaced them by a title, which is then one word.
   */
  static List<String> commandLine(long pid) {
    try {
      String words = read(pid, "cmdline").replaceFirst("[\\x00 ]+$", "");
      return List.of(words.split("\0", -1));
    } catch (IOException e) { // no Linux, or no such process
      return ProcessHandle.of(pid)
          .map(ProcessHandle::info)
          .filter(info -> info.command().isPresent() && info.arguments().isPresent())
          .map(info -> words(info.command().orElseThrow(), info.arguments().orElseThrow()))
          .orElse(List.of());
    }
  }

  private static List<String> words(String command, String[] arguments) {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of(arguments));
    return words;
  }

  /**
   * In a container the first process often does not care for orphans that have ended: they keep
   * their number, and a signal to them succeeds, for as long as the container lives.
   */
  private static boolean hasEnded(long pid) {
    try {
      String stat = read(pid, "stat");
      String state = stat.substring(stat.lastIndexOf(')') + 1).strip();
      return state.startsWith("Z") || state.startsWith("X");
    } catch (IOException e) {
      return false; // no Linux: what ProcessHandle says has to do
    }
  }

  /** Reads what the system tells of a process, whatever bytes a process may call itself by. */
  private static String read(long pid, String file) throws IOException {
    return new String(
        Files.readAllBytes(Path.of("/proc", Long.toString(pid), file)), StandardCharsets.UTF_8);
  }
}
