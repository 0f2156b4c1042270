package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A real PostgreSQL server in a folder of its own: durable, reached by this machine only, with a
 * password that was generated for it.
 *
 * <p>Whoever starts a server on a folder where one runs already, in this process or in another,
 * gets that one. It runs until the last of them has called {@link #close} or has ended. If all of
 * them are killed it goes on running; the next who starts it finds it, or, if it was killed too,
 * has it recover all that was committed.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {

  private final SharedServer shared;
  private final StartOptions options;
  private final boolean attached;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile ConnectionFile connection;

  private EmbeddedPostgres(SharedServer shared, StartOptions options, RunningServer server) {
    this.shared = shared;
    this.options = options;
    this.attached = server.wasRunning();
    this.connection = server.connection();
  }

  /** Returns a builder; its {@link EmbeddedPostgresBuilder#start start} starts a server. */
  public static EmbeddedPostgresBuilder builder() {
    return new EmbeddedPostgresBuilder();
  }

  static EmbeddedPostgres start(Path folder, StartOptions options) {
    SharedServer shared = SharedServer.of(ServerFolder.prepare(folder));
    try {
      return new EmbeddedPostgres(shared, options, shared.enter(options));
    } catch (IOException e) {
      throw failure("start", folder, e);
    }
  }

  /** Returns the JDBC address of the database {@code postgres}, without user and password. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres";
  }

  /** Returns the port, on 127.0.0.1. It stays the same over restarts, unless somebody takes it. */
  public int port() {
    return connection.port();
  }

  /** Returns the name of the server's superuser. */
  public String user() {
    return connection.user();
  }

  /** Returns the password of {@link #user}. It stays the same for as long as the folder exists. */
  public String password() {
    return connection.password();
  }

  /** Says whether the server was running already when it was to be started. */
  public boolean isAttached() {
    return attached;
  }

  /** Says whether the server is alive and takes connections, now; false after {@link #close}. */
  public boolean isRunning() {
    try {
      return !closed.get() && shared.isRunning();
    } catch (IOException e) {
      return false; // whatever keeps us from looking keeps a server from working
    }
  }

  /**
   * Starts the server again if it has died, and waits until it takes connections; does nothing if
   * it runs. All who use it can call this: one of them starts it, the others find it.
   *
   * @throws IllegalStateException after {@link #close}
   * @throws EmbeddedPostgresException if it cannot be started; the message says why
   */
  public void ensureRunning() {
    if (closed.get()) {
      throw new IllegalStateException("closed; start a server with the builder instead");
    }
    try {
      connection = shared.revive(options).connection();
    } catch (IOException e) {
      throw failure("start", shared.folder().path(), e);
    }
  }

  /** Returns the server's log. */
  public Path log() {
    return shared.folder().log();
  }

  /**
   * Ends this use of the server. If there is no other, in this process or in any that has started
   * the server too, the server is stopped: its clients are disconnected, and when this returns it
   * has ended. A second call has no effect.
   */
  public void stop() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    // Whoever is told to end by an interrupt closes what it has; that must not fail for it.
    boolean interrupted = Thread.interrupted();
    try {
      shared.leave();
    } catch (IOException e) {
      throw failure("stop", shared.folder().path(), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Does the same as {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  /** Files that are being written are closed by an interrupt, which is then not called by name. */
  private static EmbeddedPostgresException failure(String what, Path folder, IOException e) {
    String reason = Thread.currentThread().isInterrupted() ? "interrupted" : e.toString();
    return new EmbeddedPostgresException(
        "could not " + what + " PostgreSQL in " + folder + ": " + reason, e);
  }
}
