package dev.monotick.server.soak;

import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server as a process of its own. */
final class Replica implements AutoCloseable {

  private static final int MOST_TRIES = 300;

  private final String name;
  private final EmbeddedPostgres database;
  private final Path log;
  private final int port;
  private Process process;

  Replica(String name, EmbeddedPostgres database, Path folder) throws IOException {
    this.name = name;
    this.database = database;
    this.log = folder.resolve(name + ".log");
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    process = launch();
  }

  private Process launch() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx320m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("soak.classPath", System.getProperty("java.class.path")),
                "dev.monotick.server.MonotickServer"));
    Map<String, String> variables = builder.environment();
    variables.keySet().removeIf(variable -> variable.startsWith("MONOTICK_"));
    variables.putAll(
        Map.of(
            "MONOTICK_SERVER_PORT", String.valueOf(port),
            "MONOTICK_SERVER_ADDRESS", "127.0.0.1",
            "MONOTICK_DATABASE_URL", database.url(),
            "MONOTICK_DATABASE_USERNAME", database.user(),
            "MONOTICK_DATABASE_PASSWORD", database.password(),
            "MONOTICK_REPLICA_NAME", name,
            "MONOTICK_ADMIN_KEY", Installation.ADMIN_KEY));
    variables.putAll(
        Map.of(
            "MONOTICK_HTTP_ALLOW_PRIVATE", "true",
            "MONOTICK_QUOTA_ACTIVE_JOBS", "unlimited",
            "MONOTICK_QUOTA_RETAINED_JOBS", "unlimited",
            "MONOTICK_QUOTA_SCHEDULES", "unlimited"));
    return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  Api api() {
    return new Api(port, Installation.ADMIN_KEY);
  }

  /** Waits for minutes, if it must: several start at a time, maybe on a busy machine. */
  void awaitReady() {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      if (isReady()) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }
    throw new IllegalStateException(name + " does not get ready; see " + log);
  }

  private boolean isReady() {
    try {
      return api().get("/health").status() == 200;
    } catch (IllegalStateException e) {
      return false; // it does not listen yet
    }
  }

  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  void startAgain() throws IOException {
    process = launch();
  }

  /** Stops all of its threads, or lets them go on; it does not notice. */
  void signal(String name) throws IOException {
    new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
        .inheritIO()
        .start()
        .onExit()
        .join();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
