package dev.monotick.server.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A replica of an installation that is a process of its own, so that it can be killed. */
public final class ServerProcess implements AutoCloseable {

  private static final String OWN = "_server";

  private final int port;
  private final Process process;

  private ServerProcess(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /** Starts one, and returns when it is ready. */
  public static ServerProcess start(Installation installation, String name) {
    try {
      int port = freePort();
      ServerProcess started =
          new ServerProcess(port, launch(installation.schema().replace(OWN, ""), name, port));
      Eventually.until(name + " is ready", started::isReady);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static Process launch(String schema, String name, int port) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.monotick.server.MonotickServer"));
    Map<String, String> variables = builder.environment();
    variables.keySet().removeIf(variable -> variable.startsWith("MONOTICK_"));
    variables.putAll(
        Map.of(
            "MONOTICK_SERVER_PORT",
            String.valueOf(port),
            "MONOTICK_SERVER_ADDRESS",
            "127.0.0.1",
            "MONOTICK_DATABASE_URL",
            TestDatabase.server().url(),
            "MONOTICK_DATABASE_USERNAME",
            TestDatabase.server().user(),
            "MONOTICK_DATABASE_PASSWORD",
            TestDatabase.server().password(),
            "MONOTICK_DATABASE_SCHEMA",
            schema,
            "MONOTICK_REPLICA_NAME",
            name,
            "MONOTICK_ADMIN_KEY",
            Installation.ADMIN_KEY,
            "MONOTICK_HTTP_ALLOW_PRIVATE",
            "true"));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private boolean isReady() {
    try {
      return api().get("/health").status() == 200;
    } catch (IllegalStateException e) {
      if (!process.isAlive()) {
        throw new AssertionError("it ended with " + process.exitValue(), e);
      }
      return false; // it does not listen yet
    }
  }

  /** Returns somebody who calls it as admin. */
  public Api api() {
    return new Api(port, Installation.ADMIN_KEY);
  }

  /** Ends it without a word. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
