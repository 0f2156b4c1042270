package dev.monotick.postgres.embedded;

import java.nio.file.Path;
import java.util.List;

/**
 * What a caller wants of a server.
 *
 * @param major the major version
 * @param port the port, 0 for any
 * @param settings the server's parameters
 * @param caches where to unpack binaries, empty for the usual places
 */
record StartOptions(int major, int port, ServerParameters settings, List<Path> caches) {

  private static final int HIGHEST_PORT = 65_535;
  private static final int OLDEST_MAJOR = 14;

  StartOptions {
    if (port < 0 || port > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "port must be between 1 and "
              + HIGHEST_PORT
              + ", but was "
              + port
              + "; leave it out for a free one");
    }
    if (major < OLDEST_MAJOR) {
      throw new IllegalArgumentException(
          "major must be at least " + OLDEST_MAJOR + ", but was " + major);
    }
    caches = List.copyOf(caches);
  }
}
