package dev.monotick.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a reader must know of the machine, and nothing that tells whose it is. */
final class Machine {

  private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*:\\s*(.+?)\\s*$");
  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal:\\s*([0-9]+) kB");

  private Machine() {}

  /** Returns this machine's processors, memory and system. */
  static String here() {
    return about(
        Runtime.getRuntime().availableProcessors(),
        read(Path.of("/proc/cpuinfo")),
        read(Path.of("/proc/meminfo")),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"));
  }

  /** Puts together what is there of {@code /proc}, whose texts may be empty. */
  static String about(int processors, String cpus, String memory, String system) {
    Matcher model = MODEL.matcher(cpus);
    Matcher kilobytes = MEMORY.matcher(memory);
    return (processors == 1 ? "1 processor" : processors + " processors")
        + (model.find() ? ", " + model.group(1) : "")
        + (kilobytes.find()
            ? String.format(
                Locale.ROOT,
                "; %.1f GB of memory",
                Long.parseLong(kilobytes.group(1)) / (1024.0 * 1024))
            : "")
        + "; "
        + system;
  }

  private static String read(Path file) {
    try {
      return Files.isReadable(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      return ""; // then it is left out
    }
  }
}
