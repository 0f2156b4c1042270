package dev.monotick.postgres;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A real pooler in front of a test server, where it is installed. */
public final class PgBouncer implements AutoCloseable {

  private final Process process;
  private final Path folder;
  private final TestDatabase database;

  private PgBouncer(Process process, Path folder, TestDatabase database) {
    this.process = process;
    this.folder = folder;
    this.database = database;
  }

  /**
   * Starts one, or skips the test.
   *
   * @param mode transaction or session
   */
  public static PgBouncer start(TestDatabase server, String mode, int poolSize, String... more) {
    Optional<Path> program = program();
    assumeTrue(program.isPresent(), "pgbouncer is not installed");
    try {
      int port = freePort();
      URI uri = URI.create(server.url().substring("jdbc:".length()));
      Path folder = Files.createTempDirectory("pgbouncer");
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      List<String> lines = new ArrayList<>();
      lines.add("[databases]");
      lines.add(
          "%s = host=%s port=%d user=%s password=%s"
              .formatted(
                  uri.getPath().substring(1),
                  uri.getHost(),
                  uri.getPort(),
                  server.user(),
                  server.password()));
      lines.add("[pgbouncer]");
      lines.add("listen_addr = 127.0.0.1");
      lines.add("listen_port = " + port);
      lines.add("unix_socket_dir =");
      lines.add("auth_type = any");
      lines.add("pool_mode = " + mode);
      lines.add("default_pool_size = " + poolSize);
      lines.add("max_client_conn = 200");
      lines.add("ignore_startup_parameters = extra_float_digits"); // the driver sends it
      lines.addAll(List.of(more));
      Path settings = Files.write(folder.resolve("pgbouncer.ini"), lines);
      List<String> command = new ArrayList<>(List.of(program.get().toString(), "-q"));
      if (System.getProperty("user.name").equals("root")) {
        command.addAll(List.of("-u", "nobody")); // it refuses to be root
      }
      command.add(settings.toString());
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      String url = "jdbc:postgresql://127.0.0.1:" + port + uri.getPath();
      PgBouncer started =
          new PgBouncer(
              process,
              folder,
              new TestDatabase(url, server.user(), server.password(), server.schema()));
      started.awaitReady();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the same schema, seen through the pooler. */
  public TestDatabase database() {
    return database;
  }

  private void awaitReady() throws IOException {
    SQLException last = null;
    for (int tries = 0; tries < 200 && process.isAlive(); tries++) {
      try {
        database.connect().close();
        return;
      } catch (SQLException e) {
        last = e;
        ServerTime.pass(Duration.ofMillis(25));
      }
    }
    String said = Files.readString(folder.resolve("log"));
    close();
    throw new AssertionError("pgbouncer did not start: " + said, last);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Optional<Path> program() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @Override
  public void close() {
    process.destroy();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
