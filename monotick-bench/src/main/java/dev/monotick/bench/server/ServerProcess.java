package dev.monotick.bench.server;

import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A replica of the server, as somebody would start it. */
final class ServerProcess implements AutoCloseable {

  /** The admin key of all replicas here. */
  static final String KEY = "mt_bench_0123456789abcdef0123456789abcdef";

  private static final Duration LONGEST_START = Duration.ofMinutes(2);

  private final Process process;
  private final int port;
  private final Duration startTime;

  private ServerProcess(Process process, int port, Duration startTime) {
    this.process = process;
    this.port = port;
    this.startTime = startTime;
  }

  /** Starts one with these options of the JVM and waits until it is ready. */
  static ServerProcess start(BenchServer database, List<String> jvm) throws Exception {
    int port = freePort();
    Path log = Files.createTempFile("monotick-bench-server", ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("monotick.server.classpath"),
            "dev.monotick.server.MonotickServer"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "MONOTICK_SERVER_PORT", String.valueOf(port),
                "MONOTICK_DATABASE_URL", database.url("postgres"),
                "MONOTICK_DATABASE_USERNAME", database.user(),
                "MONOTICK_DATABASE_PASSWORD", database.password(),
                "MONOTICK_ADMIN_KEY", KEY));
    long begin = System.nanoTime();
    Process process = builder.start();
    while (!isReady(port)) {
      if (!process.isAlive() || System.nanoTime() - begin > LONGEST_START.toNanos()) {
        process.destroyForcibly();
        throw new IOException("the server did not start:\n" + Files.readString(log));
      }
      BenchmarkProgress.pause(Duration.ofMillis(20));
    }
    return new ServerProcess(process, port, Duration.ofNanos(System.nanoTime() - begin));
  }

  private static boolean isReady(int port) {
    try (HttpConnection wire = new HttpConnection(port)) {
      return wire.call("GET", "/health/readiness", KEY, "").status() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  int port() {
    return port;
  }

  /** Returns how long it took from nothing to ready. */
  Duration startTime() {
    return startTime;
  }

  /** Returns the processor time it has used. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Returns the memory it has in use, as the system counts it; 0 where that cannot be read. */
  long residentMegabytes() throws IOException {
    Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
    if (!Files.exists(status)) {
      return 0;
    }
    return Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .map(line -> line.replaceAll("[^0-9]", ""))
            .mapToLong(Long::parseLong)
            .sum()
        / 1024;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.onExit().get(40, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    } catch (ExecutionException | TimeoutException e) {
      process.destroyForcibly();
    }
  }
}
