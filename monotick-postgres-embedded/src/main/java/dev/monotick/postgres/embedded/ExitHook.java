package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves no server behind when the JVM ends in good order. */
final class ExitHook {

  private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);
  private static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private ExitHook() {}

  static void install() {
    if (INSTALLED.compareAndSet(false, true)) {
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(ExitHook::run, "monotick-postgres-exit"));
      } catch (IllegalStateException e) {
        throw new EmbeddedPostgresException("no server is started while the JVM shuts down", e);
      }
    }
  }

  private static void run() {
    for (SharedServer server : SharedServer.all()) {
      try {
        server.exit();
      } catch (IOException | RuntimeException e) {
        LOG.warn("could not stop PostgreSQL folder={}", server.folder().path(), e);
      }
    }
  }
}
