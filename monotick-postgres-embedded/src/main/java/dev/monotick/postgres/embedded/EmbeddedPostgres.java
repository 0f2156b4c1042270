package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A real PostgreSQL server in a folder of its own. */
public final class EmbeddedPostgres implements AutoCloseable {

  private final Binaries binaries;
  private final ServerUser user;
  private final Path folder;
  private final ConnectionFile connection;

  private EmbeddedPostgres(
      Binaries binaries, ServerUser user, Path folder, ConnectionFile connection) {
    this.binaries = binaries;
    this.user = user;
    this.folder = folder;
    this.connection = connection;
  }

  /** Returns a new builder. */
  public static EmbeddedPostgresBuilder builder() {
    return new EmbeddedPostgresBuilder();
  }

  static EmbeddedPostgres start(Path folder, int major, int port, Map<String, String> settings) {
    try {
      Files.createDirectories(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
      ServerUser user = ServerUser.choose(folder);
      Path cache =
          !user.prefix().isEmpty()
              ? Path.of("/var/cache/monotick/postgres")
              : Path.of(System.getProperty("user.home"), ".cache", "monotick", "postgres");
      Binaries binaries = Binaries.unpacked(BinariesSource.find(major), cache);
      Optional<ConnectionFile> known = ConnectionFile.read(folder.resolve("connection.conf"));
      int chosen = port != 0 ? port : known.map(ConnectionFile::port).orElseGet(Ports::free);
      ConnectionFile connection =
          known.map(file -> file.withPort(chosen)).orElseGet(() -> ConnectionFile.create(chosen));
      connection.write(folder.resolve("connection.conf"));
      EmbeddedPostgres server = new EmbeddedPostgres(binaries, user, folder, connection);
      if (!Files.exists(server.data())) {
        server.init();
      }
      server.startServer(settings);
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
      return server;
    } catch (IOException e) {
      throw new EmbeddedPostgresException("could not start PostgreSQL in " + folder, e);
    }
  }

  private void init() throws IOException {
    Path staging = folder.resolve("initialising");
    Files.createDirectories(staging);
    Path passwordFile = staging.resolve("password");
    Files.writeString(passwordFile, connection.password());
    user.own(staging);
    expectOk(
        "initdb",
        Commands.run(
            user.command(
                binaries.program("initdb"),
                "--pgdata=" + staging.resolve("data"),
                "--username=" + connection.user(),
                "--pwfile=" + passwordFile,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--data-checksums")));
    Files.delete(passwordFile);
    Files.move(staging.resolve("data"), data(), StandardCopyOption.ATOMIC_MOVE);
    Files.delete(staging);
  }

  private void startServer(Map<String, String> settings) throws IOException {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.put("fsync", "on");
    all.put("synchronous_commit", "on");
    all.put("full_page_writes", "on");
    all.put("listen_addresses", "127.0.0.1");
    all.put("unix_socket_directories", "");
    all.put("port", Integer.toString(connection.port()));
    all.put("timezone", "UTC");
    String options =
        all.entrySet().stream()
            .map(setting -> "-c '" + setting.getKey() + "=" + setting.getValue() + "'")
            .collect(Collectors.joining(" "));
    if (!Files.exists(log())) {
      Files.createFile(log());
    }
    user.own(log());
    expectOk(
        "pg_ctl start",
        Commands.run(
            user.command(
                binaries.program("pg_ctl"),
                "start",
                "--pgdata=" + data(),
                "--log=" + log(),
                "--wait",
                "--timeout=600",
                "--options=" + options)));
  }

  private static void expectOk(String what, Commands.Result result) {
    if (!result.isOk()) {
      throw new EmbeddedPostgresException(what + " failed: " + result.output());
    }
  }

  private Path data() {
    return folder.resolve("data");
  }

  /** Returns the JDBC address of the database {@code postgres}, without user and password. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres";
  }

  /** Returns the port on the loopback interface. */
  public int port() {
    return connection.port();
  }

  /** Returns the name of the server's superuser. */
  public String user() {
    return connection.user();
  }

  /** Returns the generated password of {@link #user}. */
  public String password() {
    return connection.password();
  }

  /** Returns the server's log. */
  public Path log() {
    return folder.resolve("server.log");
  }

  /** Stops the server. */
  public void stop() {
    try {
      if (Files.exists(data().resolve("postmaster.pid"))) {
        Commands.run(
            user.command(
                binaries.program("pg_ctl"), "stop", "--pgdata=" + data(), "--mode=fast", "--wait"));
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException("could not stop PostgreSQL in " + folder, e);
    }
  }

  @Override
  public void close() {
    stop();
  }

  private static final class Ports {
    static int free() {
      try (ServerSocket socket =
          new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
        return socket.getLocalPort();
      } catch (IOException e) {
        throw new EmbeddedPostgresException("no free port on 127.0.0.1", e);
      }
    }
  }
}
