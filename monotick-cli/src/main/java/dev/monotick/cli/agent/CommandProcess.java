package dev.monotick.cli.agent;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command that runs. Its output goes to a file, which is read while it grows: so nobody has to
 * wait at a pipe, and a child that outlives the command and keeps one open holds up nobody. The
 * server's {@code CommandRun} is like it and apart on purpose: it says why.
 */
final class CommandProcess {

  /** How much of the output is kept for the result. */
  private static final int KEPT = 64 << 10;

  private static final int AT_ONCE = 1 << 20;
  private static final int LONGEST_LINE = 2_000;

  private final Process process;
  private final Path output;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long read;

  CommandProcess(List<String> words, Map<String, String> environment) throws IOException {
    output = Files.createTempFile("monotick-agent", ".out");
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .redirectInput(new File("/dev/null"));
    Map<String, String> own = builder.environment();
    Optional<String> path = Optional.ofNullable(own.get("PATH"));
    Optional<String> home = Optional.ofNullable(own.get("HOME"));
    own.clear(); // the agent's own may have its key
    own.put("PATH", path.orElse("/usr/bin:/bin"));
    own.put("LANG", "C.UTF-8");
    home.ifPresent(value -> own.put("HOME", value));
    own.putAll(environment);
    try {
      process = builder.start();
    } catch (IOException e) {
      Files.deleteIfExists(output);
      throw e;
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitCode() {
    return process.exitValue();
  }

  /** Returns the beginning of what it wrote. */
  String output() {
    return kept.toString(StandardCharsets.UTF_8);
  }

  /** Returns lines that it wrote since the last time; at the end also one without an end. */
  List<String> lines() throws IOException {
    boolean over = !process.isAlive();
    List<String> lines = new ArrayList<>();
    try (InputStream in = Files.newInputStream(output)) {
      in.skipNBytes(read);
      byte[] bytes = in.readNBytes(AT_ONCE);
      read += bytes.length;
      kept.write(bytes, 0, Math.max(0, Math.min(bytes.length, KEPT - kept.size())));
      for (byte each : bytes) {
        if (each == '\n') {
          lines.add(endLine());
        } else if (line.size() < LONGEST_LINE) {
          line.write(each);
        }
      }
    }
    if (over && line.size() > 0) {
      lines.add(endLine());
    }
    return lines;
  }

  private String endLine() {
    String text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    return text;
  }

  /** Ends it with its children, which are looked up first: those of a dead parent are not found. */
  void kill() {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  /** Forgets its output. */
  void forget() {
    try {
      Files.deleteIfExists(output);
    } catch (IOException e) {
      output.toFile().deleteOnExit();
    }
  }
}
