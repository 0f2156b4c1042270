package dev.monotick.server.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code monotick agent} as a process of its own. */
final class AgentProcess implements AutoCloseable {

  private final Process process;
  private final Path log;

  AgentProcess(int port, String key, String name, Path folder, String... more) throws IOException {
    this.log = Files.createTempFile(folder, name, ".log");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.addAll(List.of("dev.monotick.cli.MonotickCommand", "agent"));
    line.addAll(List.of("--server", "http://127.0.0.1:" + port, "--name", name));
    line.addAll(List.of("--allow", "sh=/bin/sh -c"));
    line.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(line);
    Map<String, String> variables = builder.environment();
    variables.keySet().removeIf(variable -> variable.startsWith("MONOTICK_"));
    variables.put("MONOTICK_AGENT_KEY", key);
    this.process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  /** SIGKILL: nothing of it runs any more, and it told nobody. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitCode() {
    return process.exitValue();
  }

  String said() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
