package dev.monotick.postgres.embedded;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes an {@link EmbeddedPostgres} and starts it. Not thread-safe. */
public final class EmbeddedPostgresBuilder {

  private final Map<String, String> settings = new LinkedHashMap<>();
  private @Nullable Path folder;
  private int major = 18;
  private int port;

  EmbeddedPostgresBuilder() {}

  /** Where the server keeps its data, its password and its log; created if absent. Required. */
  public EmbeddedPostgresBuilder folder(Path folder) {
    this.folder = requireNonNull(folder, "folder");
    return this;
  }

  /** The server's major version, 18 by default; its binaries must be on the class path. */
  public EmbeddedPostgresBuilder major(int major) {
    this.major = major;
    return this;
  }

  /** The server's port; by default a free one, which is kept over restarts while it stays free. */
  public EmbeddedPostgresBuilder port(int port) {
    this.port = port;
    return this;
  }

  /** Sets a parameter of the server, such as {@code max_connections}. */
  public EmbeddedPostgresBuilder setting(String name, String value) {
    settings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
    return this;
  }

  /** Starts the server, or attaches to the one that already runs on the folder. */
  public EmbeddedPostgres start() {
    if (folder == null) {
      throw new IllegalArgumentException(
          "folder is missing: name the folder that the server keeps its data in");
    }
    return EmbeddedPostgres.start(folder.toAbsolutePath(), major, port, settings);
  }
}
