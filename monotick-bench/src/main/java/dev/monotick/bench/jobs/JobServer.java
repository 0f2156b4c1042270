package dev.monotick.bench.jobs;

import dev.monotick.bench.postgres.BenchServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The server on which all contenders are measured: durable, with some memory, otherwise as it is.
 */
final class JobServer {

  private static final Map<String, String> SETTINGS =
      Map.of("shared_buffers", "512MB", "max_wal_size", "1GB", "max_connections", "300");

  private JobServer() {}

  /**
   * Starts it with further settings, checks that it keeps what it commits, and tells what it is.
   */
  static BenchServer start(Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.putAll(more);
    BenchServer server = BenchServer.start(settings);
    try {
      for (String name : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        String value = server.ask("show " + name);
        if (!value.equals("on")) {
          throw new IllegalStateException(
              name + " is " + value + ", but only a durable server is measured");
        }
      }
      server.describe();
      return server;
    } catch (Exception e) {
      server.close();
      throw e;
    }
  }
}
