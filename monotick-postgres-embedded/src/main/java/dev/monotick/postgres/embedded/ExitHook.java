package dev.monotick.postgres.embedded;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves no server behind when the JVM ends in good order. */
final class ExitHook {

  private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);

  // Guarded by the class.
  private static boolean installed;
  private static boolean stopping;

  private ExitHook() {}

  /** Sees to it that what is started from now on does not stay behind. */
  static synchronized void install() {
    if (stopping) {
      throw new EmbeddedPostgresException("no server is started while the JVM ends");
    }
    if (!installed) {
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(ExitHook::run, "monotick-postgres-exit"));
      } catch (IllegalStateException e) {
        throw new EmbeddedPostgresException("no server is started while the JVM ends", e);
      }
      installed = true;
    }
  }

  private static synchronized void end() {
    stopping = true;
  }

  private static void run() {
    end();
    for (SharedServer server : SharedServer.all()) {
      try {
        server.exit();
      } catch (IOException | RuntimeException e) {
        LOG.warn("could not stop PostgreSQL folder={}", server.folder().path(), e);
      }
    }
  }
}
