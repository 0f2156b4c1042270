package dev.monotick.postgres.embedded;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes an {@link EmbeddedPostgres}. A {@link #folder} must be given. Not thread-safe. */
public final class EmbeddedPostgresBuilder {

  private static final int NEWEST_MAJOR = 18;

  private final Map<String, String> settings = new LinkedHashMap<>();
  private @Nullable Path folder;
  private int major = NEWEST_MAJOR;
  private int port;
  private List<Path> caches = List.of();

  EmbeddedPostgresBuilder() {}

  /**
   * Where the server keeps its data, its password and its log. Required. Created if absent; if it
   * is there, it must be empty or have been used for this before. It is closed to other users.
   */
  public EmbeddedPostgresBuilder folder(Path folder) {
    this.folder = requireNonNull(folder, "folder");
    return this;
  }

  /**
   * The server's major version, at least 14 and by default 18. Binaries of 18 for Linux come with
   * this module; others must be added to the class path.
   */
  public EmbeddedPostgresBuilder major(int major) {
    this.major = major;
    return this;
  }

  /** The port; by default one that is free, and at the next start the same if it still is. */
  public EmbeddedPostgresBuilder port(int port) {
    if (port == 0) {
      throw new IllegalArgumentException("port was 0; leave it out for a free one");
    }
    this.port = port;
    return this;
  }

  /**
   * Sets a parameter of the server, such as {@code max_connections}. Refused for those that make it
   * durable, keep it on this machine and in its folder.
   */
  public EmbeddedPostgresBuilder setting(String name, String value) {
    settings.put(
        ServerParameters.normalised(requireNonNull(name, "name")), requireNonNull(value, "value"));
    return this;
  }

  /** Where to unpack binaries, for tests of just that. */
  EmbeddedPostgresBuilder cache(Path cache) {
    this.caches = List.of(cache);
    return this;
  }

  /**
   * Starts the server, or attaches to the one that already runs on the folder, and returns when it
   * takes connections. The first start unpacks the server and takes some seconds.
   *
   * @throws IllegalArgumentException if the description is wrong
   * @throws EmbeddedPostgresException if the server cannot be started; the message says why
   */
  public EmbeddedPostgres start() {
    if (folder == null) {
      throw new IllegalArgumentException(
          "folder is missing; name the folder that the server is to keep its data in");
    }
    return EmbeddedPostgres.start(
        folder, new StartOptions(major, port, new ServerParameters(settings), caches));
  }
}
