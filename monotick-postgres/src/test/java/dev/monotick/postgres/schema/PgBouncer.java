package dev.monotick.postgres.schema;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.postgres.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** A PgBouncer that gives out a server connection per transaction. */
final class PgBouncer implements AutoCloseable {

  private final Process process;
  private final String url;

  private PgBouncer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Starts one in front of a server, with so few server connections that clients share them. */
  static PgBouncer inFrontOf(TestDatabase database, Path folder) throws IOException {
    Optional<String> program = Program.find("pgbouncer");
    assumeTrue(program.isPresent(), "pgbouncer is not installed");
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    URI server = URI.create(database.url().substring("jdbc:".length()));
    Path users = folder.resolve("users.txt");
    Files.writeString(users, "\"%s\" \"%s\"\n".formatted(database.user(), database.password()));
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        """
        [databases]
        * = host=%s port=%d
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = plain
        auth_file = %s
        pool_mode = transaction
        default_pool_size = 3
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(server.getHost(), server.getPort(), port, users));
    for (Path path : List.of(folder, users, settings)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    List<String> command = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) { // it refuses to run as root
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.addAll(List.of(program.get(), settings.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    awaitStart(process);
    return new PgBouncer(process, "jdbc:postgresql://127.0.0.1:" + port + server.getPath());
  }

  private static void awaitStart(Process process) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    List<String> lines = new ArrayList<>();
    String line;
    while ((line = output.readLine()) != null) {
      lines.add(line);
      if (line.contains("process up")) {
        return;
      }
    }
    throw new AssertionError("pgbouncer did not start: " + lines);
  }

  Connection connect(TestDatabase database) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", database.user());
    properties.setProperty("password", database.password());
    return DriverManager.getConnection(url, properties);
  }

  @Override
  public void close() {
    process.destroy();
  }
}
