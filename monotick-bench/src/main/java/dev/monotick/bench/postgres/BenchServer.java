package dev.monotick.bench.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.postgres.embedded.EmbeddedPostgresBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** A server of its own for one benchmark, durable as in production; gone when it is closed. */
public final class BenchServer implements AutoCloseable {

  static final int MAJOR = 18;

  private final Path folder;
  private final EmbeddedPostgres server;

  private BenchServer(Path folder, EmbeddedPostgres server) {
    this.folder = folder;
    this.server = server;
  }

  /** Starts one with these settings. */
  public static BenchServer start(Map<String, String> settings) throws IOException {
    BenchmarkProgress.report("starting PostgreSQL " + MAJOR);
    Path folder = Files.createTempDirectory("monotick-bench-");
    EmbeddedPostgresBuilder builder =
        EmbeddedPostgres.builder().folder(folder.resolve("postgres")).major(MAJOR);
    settings.forEach(builder::setting);
    return new BenchServer(folder, builder.start());
  }

  PostgresStore store(String schema) {
    return PostgresStore.builder()
        .url(server.url())
        .user(server.user())
        .password(server.password())
        .schema(schema)
        .build();
  }

  /** Returns a pool such as an application has. */
  HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.url());
    config.setUsername(server.user());
    config.setPassword(server.password());
    config.setMaximumPoolSize(size);
    return new HikariDataSource(config);
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(server.url(), server.user(), server.password());
  }

  /** Runs a statement on a connection of its own. */
  public void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the first column of the first row. */
  public String ask(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() ? String.valueOf(result.getString(1)) : "nothing";
    }
  }

  /** Returns the server's log. */
  public Path log() {
    return server.log();
  }

  /** Returns the JDBC address of a database. */
  public String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database;
  }

  /** Returns the port, on 127.0.0.1. */
  public int port() {
    return server.port();
  }

  /** Returns the name of the superuser. */
  public String user() {
    return server.user();
  }

  /** Returns the superuser's password. */
  public String password() {
    return server.password();
  }

  /** Returns its version, and settings that results depend on. */
  public String about() throws SQLException {
    return String.format(
        Locale.ROOT,
        "PostgreSQL %s, fsync=%s, synchronous_commit=%s, full_page_writes=%s, shared_buffers=%s,"
            + " max_wal_size=%s, max_connections=%s",
        ask("show server_version"),
        ask("show fsync"),
        ask("show synchronous_commit"),
        ask("show full_page_writes"),
        ask("show shared_buffers"),
        ask("show max_wal_size"),
        ask("show max_connections"));
  }

  /** Prints what the results depend on. */
  public void describe() throws SQLException {
    System.out.println(about());
    System.out.printf(
        Locale.ROOT,
        "JDK %s, %d processors, %s, load average %s%n",
        Runtime.version(),
        Runtime.getRuntime().availableProcessors(),
        Clock.systemUTC().instant(),
        load());
  }

  /** Returns the load average of the last minute. */
  public static String load() {
    return String.format(
        Locale.ROOT, "%.1f", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  /** Returns the processor time of all processes of the server that live. */
  public Duration serverCpu() throws SQLException {
    long pid =
        Long.parseLong(
            ask(StatementLog.OWN + "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"));
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
    return Stream.concat(Stream.of(postmaster), postmaster.descendants())
        .map(BenchServer::cpu)
        .reduce(Duration.ZERO, Duration::plus);
  }

  static Duration clientCpu() {
    return cpu(ProcessHandle.current());
  }

  private static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    server.close();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
