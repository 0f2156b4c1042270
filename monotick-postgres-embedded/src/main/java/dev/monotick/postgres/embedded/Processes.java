package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

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
      String words = Files.readString(proc(pid, "cmdline"), StandardCharsets.ISO_8859_1);
      return Arrays.stream(words.split("\0")).map(String::strip).toList();
    } catch (IOException e) { // no Linux, or no such process
      return ProcessHandle.of(pid)
          .map(ProcessHandle::info)
          .flatMap(ProcessHandle.Info::commandLine)
          .map(line -> List.of(line.split(" ")))
          .orElse(List.of());
    }
  }

  /**
   * In a container the first process often does not care for orphans that have ended: they keep
   * their number, and a signal to them succeeds, for as long as the container lives.
   */
  private static boolean hasEnded(long pid) {
    try {
      String stat = Files.readString(proc(pid, "stat"), StandardCharsets.ISO_8859_1);
      Optional<Character> state =
          stat.substring(stat.lastIndexOf(')') + 1)
              .strip()
              .chars()
              .mapToObj(c -> (char) c)
              .findFirst();
      return state.filter(c -> c == 'Z' || c == 'X').isPresent();
    } catch (IOException e) {
      return false; // no Linux: what ProcessHandle says has to do
    }
  }

  private static Path proc(long pid, String file) {
    return Path.of("/proc", Long.toString(pid), file);
  }
}
