package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The server of one folder, as all who use it in this process share it. Threads are kept apart by
 * the monitor, processes by the folder's lock; the last user, here or elsewhere, stops the server.
 */
final class SharedServer {

  /** By folder. Entries stay, as there are few and a thread may hold on to one. */
  private static final Map<ServerFolder, SharedServer> SERVERS = new ConcurrentHashMap<>();

  private static final int SECONDS_TO_APPEAR = 2;

  private final ServerFolder folder;

  // Guarded by this: how many use the server here, and, while somebody does, the lock and what is
  // known of the server.
  private int users;
  private boolean stopping;
  private @Nullable FolderLock lock;
  private @Nullable RunningServer server;

  private SharedServer(ServerFolder folder) {
    this.folder = folder;
  }

  static SharedServer of(ServerFolder folder) {
    ExitHook.install();
    return SERVERS.computeIfAbsent(folder, SharedServer::new);
  }

  static Collection<SharedServer> all() {
    return SERVERS.values();
  }

  ServerFolder folder() {
    return folder;
  }

  /** Starts the server or finds it running, and counts the caller among its users. */
  synchronized RunningServer enter(StartOptions options) throws IOException {
    FolderLock current = lock != null ? lock : FolderLock.open(folder.lock());
    try {
      RunningServer started =
          current.change(
              () -> {
                RunningServer running = start(options, current);
                current.use();
                return running;
              });
      lock = current;
      server = started;
      users++;
      return started;
    } finally {
      if (lock == null) {
        current.close();
      }
    }
  }

  /** Starts the server again, for those who use it already, unless it runs. */
  synchronized RunningServer revive(StartOptions options) throws IOException {
    FolderLock current = requireLock();
    RunningServer started = current.change(() -> start(options, current));
    server = started;
    return started;
  }

  private RunningServer start(StartOptions options, FolderLock current) throws IOException {
    ServerStart start = new ServerStart(folder, options, current);
    boolean done = false;
    try {
      RunningServer started = start.run();
      done = true;
      return started;
    } finally {
      if (!done && start.hasLaunched() && !current.isUsed()) {
        abandon();
      }
    }
  }

  /** Stops a server that comes up while its start was interrupted; nobody else would. */
  private void abandon() throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      if (interrupted) {
        Polling.await(SECONDS_TO_APPEAR, () -> Files.exists(Postmaster.file(folder)));
      }
      stopIf(true);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Counts the caller no more, and stops the server if there is no other user. */
  synchronized void leave() throws IOException {
    users--;
    if (users > 0) {
      return;
    }
    try (FolderLock current = requireLock()) {
      if (stopping) {
        // Decided already. Whoever holds the lock may be waiting for just this server to end.
        stopIf(current.isUsedHere());
      } else {
        current.change(
            () -> {
              boolean last = !current.isUsedByOthers();
              current.leave();
              return stopIf(last);
            });
      }
    } finally {
      lock = null;
      server = null;
    }
  }

  /**
   * Prepares for the end of this process. Others of its threads may be busy with their own last
   * work, and need the server for that; so it ends when all its clients have gone, or with this
   * process. Until then the process counts as a user, so nobody who comes anew becomes impatient.
   */
  synchronized void exit() throws IOException {
    if (users == 0) {
      return;
    }
    FolderLock current = requireLock();
    stopping = true;
    current.change(
        () -> {
          if (current.isUsedByOthers()) {
            current.leave();
            return Optional.empty();
          }
          Optional<Postmaster> alive = alive();
          if (alive.isPresent()) {
            alive.get().stopWithThisProcess();
          }
          return alive;
        });
  }

  synchronized boolean isRunning() throws IOException {
    int port = server == null ? 0 : server.connection().port();
    return alive().filter(found -> found.isReady() && found.port() == port).isPresent();
  }

  private Optional<Postmaster> stopIf(boolean wanted) throws IOException {
    Optional<Postmaster> alive = wanted ? alive() : Optional.empty();
    if (alive.isPresent()) {
      ServerStop.stop(alive.get(), folder);
    }
    return alive;
  }

  /** Somebody may have deleted the folder; then the server is still known from its start. */
  private Optional<Postmaster> alive() throws IOException {
    return Postmaster.read(folder)
        .or(() -> Optional.ofNullable(server).map(RunningServer::postmaster))
        .filter(Postmaster::isAlive);
  }

  private FolderLock requireLock() {
    if (lock == null) {
      throw new IllegalStateException("nobody uses the server in " + folder.path());
    }
    return lock;
  }
}
