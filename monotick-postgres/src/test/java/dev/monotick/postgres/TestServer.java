package dev.monotick.postgres;

import dev.monotick.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The servers that the tests of this JVM share, one for each major version. */
record TestServer(String url, String user, String password) {

  private static final Map<Integer, TestServer> SERVERS = new ConcurrentHashMap<>();

  static TestServer of(int major) {
    return SERVERS.computeIfAbsent(
        major, any -> any == TestDatabase.PACKAGED ? PackagedServer.start() : start(any));
  }

  private static TestServer start(int major) {
    try {
      Path folder = Files.createTempDirectory("monotick-test-" + major + "-");
      EmbeddedPostgres server =
          EmbeddedPostgres.builder()
              .folder(folder.resolve("postgres"))
              .major(major)
              .setting("max_connections", "300")
              .setting("max_prepared_transactions", "10")
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, folder)));
      return new TestServer(server.url(), server.user(), server.password());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void stop(EmbeddedPostgres server, Path folder) {
    server.close();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
