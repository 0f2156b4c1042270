package dev.monotick.postgres;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A server of the PostgreSQL that the operating system packages, where it is installed: as most
 * users run it, with JIT compilation, which the embedded servers do not have. Its settings are the
 * package's own, but for the number of connections, and for statistics that tell which statements
 * were compiled.
 */
final class PackagedServer {

  private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
  private static final String OWNER = "postgres"; // the package creates this user

  private final Path programs;
  private final Path folder;

  private PackagedServer(Path programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
  }

  /** Starts one that ends with this JVM, or skips the test. */
  static TestServer start() {
    Optional<Path> programs = programs();
    assumeTrue(programs.isPresent(), "no packaged PostgreSQL of version 14 or newer is installed");
    try {
      Path folder = Files.createTempDirectory("monotick-packaged-");
      if (isRoot()) {
        run(List.of("chown", OWNER, folder.toString()));
      }
      int port = freePort();
      PackagedServer server = new PackagedServer(programs.get(), folder);
      server.program("initdb", "-D", server.data(), "-U", "postgres", "-A", "trust", "--no-sync");
      server.program(
          "pg_ctl",
          "start",
          "-w",
          "-D",
          server.data(),
          "-l",
          folder.resolve("log").toString(),
          "-o",
          "-p "
              + port
              + " -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
              + " -c max_connections=300 -c shared_preload_libraries=pg_stat_statements"
              + " -c pg_stat_statements.track=all");
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
      return new TestServer("jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "x");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the programs of the newest version. */
  private static Optional<Path> programs() {
    if (!Files.isDirectory(VERSIONS)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(VERSIONS)) {
      return versions
          .filter(version -> version.getFileName().toString().matches("[0-9]+"))
          .filter(version -> major(version) >= TestDatabase.OLDEST)
          .sorted(Comparator.comparing(PackagedServer::major).reversed())
          .map(version -> version.resolve("bin"))
          .filter(programs -> Files.isExecutable(programs.resolve("initdb")))
          .findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int major(Path version) {
    return Integer.parseInt(version.getFileName().toString());
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private void stop() {
    program("pg_ctl", "stop", "-D", data(), "-m", "immediate", "-w");
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void program(String name, String... arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) { // which the server refuses to be
      command.addAll(List.of("setpriv", "--reuid=" + OWNER, "--clear-groups", "--"));
    }
    command.add(programs.resolve(name).toString());
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
}
