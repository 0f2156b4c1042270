package dev.monotick.server.support;

import dev.monotick.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;

/** The PostgreSQL of this JVM's tests; each installation has a schema of its own. */
public final class TestDatabase {

  private static final EmbeddedPostgres SERVER = start();
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private TestDatabase() {}

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.builder()
          .folder(Files.createTempDirectory("monotick-server-test").resolve("postgres"))
          .setting("max_connections", "300")
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the server; it stops with the JVM. */
  public static EmbeddedPostgres server() {
    return SERVER;
  }

  /** Returns the name of a schema that nobody has used. */
  public static String newSchema() {
    return "test" + SCHEMAS.incrementAndGet();
  }
}
