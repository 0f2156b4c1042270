package dev.monotick.postgres.leader;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.postgres.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server that belongs to one test, which may do to it what others would not like. */
public final class PrivateServer implements AutoCloseable {

  private static final String USER = "nobody";

  private final Path programs;
  private final Path folder;
  private final int port;

  private PrivateServer(Path programs, Path folder, int port) {
    this.programs = programs;
    this.folder = folder;
    this.port = port;
  }

  /** Starts one with the programs of the shared server of that version. */
  public static PrivateServer start(int major) {
    try {
      Path programs = programs(TestDatabase.on(major));
      Path folder = Files.createTempDirectory("server");
      if (isRoot()) {
        run(List.of("chown", USER, folder.toString()));
      }
      PrivateServer server = new PrivateServer(programs, folder, freePort());
      server.program("initdb", "-D", server.data(), "-U", "postgres", "-A", "trust", "--no-sync");
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns its database, with a schema that does not exist yet. */
  public TestDatabase database() {
    return new TestDatabase(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "x", "monotick");
  }

  /** Ends all of its processes at once, and starts it again. */
  void crashAndRestart() {
    stop("immediate");
    start();
  }

  /** Stops it and starts it as a standby, which is in recovery for as long as it is one. */
  void becomeStandby() {
    stop("fast");
    program("touch", data() + "/standby.signal");
    start();
  }

  void promote() {
    program("pg_ctl", "promote", "-D", data(), "-w");
  }

  private void start() {
    program(
        "pg_ctl",
        "start",
        "-D",
        data(),
        "-l",
        folder.resolve("log").toString(),
        "-w",
        "-o",
        "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off");
  }

  private void stop(String mode) {
    program("pg_ctl", "stop", "-D", data(), "-m", mode, "-w");
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private void program(String name, String... arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) { // which the server refuses to be
      command.addAll(List.of("setpriv", "--reuid=" + USER, "--clear-groups", "--"));
    }
    Path program = programs.resolve(name);
    command.add(Files.exists(program) ? program.toString() : name);
    command.addAll(List.of(arguments));
    try {
      run(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(List<String> command) throws IOException {
    Path output = Files.createTempFile("output", null);
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(Path.of("/").toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile()) // a pipe would stay open for as long as the server
              .start();
      if (process.waitFor() != 0) {
        throw new AssertionError(command + ": " + Files.readString(output));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      Files.delete(output);
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Path programs(TestDatabase server) {
    String sql = "select setting from pg_config where name = 'BINDIR'";
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      Path programs = Path.of(row.getString(1));
      assumeTrue(
          Files.isExecutable(programs.resolve("initdb")), () -> "no programs in " + programs);
      return programs;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  @Override
  public void close() {
    stop("immediate");
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
