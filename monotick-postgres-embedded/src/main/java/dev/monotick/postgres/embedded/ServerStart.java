package dev.monotick.postgres.embedded;

import dev.monotick.postgres.embedded.binaries.FileTrees;
import dev.monotick.postgres.embedded.binaries.ServerBinaries;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a folder's server to life, or finds it alive. All of it happens under the folder's lock,
 * so no other process of ours changes anything meanwhile; but what killed processes have begun may
 * still be going on. So each step looks at what there is, and a step that fails is followed by
 * another look.
 */
final class ServerStart {

  private static final Logger LOG = LoggerFactory.getLogger(ServerStart.class);
  private static final int ATTEMPTS = 10;
  private static final int SECONDS_BETWEEN_REMARKS = 10;

  private final ServerFolder folder;
  private final StartOptions options;
  private final FolderLock lock;
  private boolean launched;
  private boolean startedHere;

  ServerStart(ServerFolder folder, StartOptions options, FolderLock lock) {
    this.folder = folder;
    this.options = options;
    this.lock = lock;
  }

  /** Starts the server or finds it running. */
  RunningServer run() throws IOException {
    if (DataDirectory.exists(folder)) {
      DataDirectory.checkMajor(folder, options.major());
    }
    String failure = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Postmaster> running = running();
      if (running.isPresent() && suits(running.get())) {
        return server(running.get());
      }
      if (running.isPresent()) {
        ServerStop.stop(running.get(), folder);
      }
      LaunchAttempt launch = launch();
      failure = launch.message();
      startedHere = launch.outcome() == LaunchAttempt.Outcome.STARTED;
      if (launch.outcome() == LaunchAttempt.Outcome.FAILED) {
        break;
      }
    }
    throw new EmbeddedPostgresException(
        "could not start PostgreSQL in " + folder.path() + ": " + failure);
  }

  /** Says whether this has gone as far as to start a server, whatever came of it. */
  boolean hasLaunched() {
    return launched;
  }

  private RunningServer server(Postmaster postmaster) throws IOException {
    LOG.info(
        "{} PostgreSQL pid={} port={} folder={}",
        startedHere ? "started" : "attached to",
        postmaster.pid(),
        postmaster.port(),
        folder.path());
    ConnectionFile connection =
        ConnectionFile.read(folder.connectionFile()).orElseThrow(this::noPassword);
    return new RunningServer(postmaster, connection.withPort(postmaster.port()), !startedHere);
  }

  /** Returns the running server, once it is ready; empty if there is none, or none any more. */
  private Optional<Postmaster> running() throws IOException {
    for (int rounds = 0; ; rounds++) {
      Optional<Postmaster> found = Postmaster.read(folder).filter(Postmaster::isAlive);
      if (found.isEmpty() || found.get().isReady()) {
        return found;
      }
      Postmaster busy = found.get();
      if (rounds > 0) {
        LOG.info("waiting for PostgreSQL status={} pid={}", busy.status(), busy.pid());
        if (busy.isStopping() && !lock.isUsedByOthers()) {
          // It waits for its clients to leave, but those who started it have left already.
          ServerStop.stop(busy, folder);
        }
      }
      awaitChange(busy);
    }
  }

  private void awaitChange(Postmaster busy) {
    Polling.await(
        SECONDS_BETWEEN_REMARKS,
        () -> {
          try {
            return !Postmaster.read(folder)
                .filter(busy::equals)
                .map(Postmaster::isAlive)
                .orElse(false);
          } catch (IOException e) {
            return true; // the caller will meet it too
          }
        });
  }

  /** Says whether a running server is as wanted; if not, it may be stopped, as nobody uses it. */
  private boolean suits(Postmaster running) throws IOException {
    Optional<String> missing =
        options.port() != 0 && options.port() != running.port()
            ? Optional.of("port=" + options.port())
            : options.settings().missingFrom(folder);
    if (missing.isPresent() && lock.isUsed()) {
      throw new EmbeddedPostgresException(
          "the server in "
              + folder.path()
              + " is in use and was started without "
              + missing.get()
              + "; use the same settings wherever it is started, or stop the others first");
    }
    missing.ifPresent(
        setting -> LOG.info("restarting PostgreSQL with {} folder={}", setting, folder.path()));
    return missing.isEmpty();
  }

  private LaunchAttempt launch() throws IOException {
    boolean root = ServerUser.isRoot();
    ServerUser runAs = ServerUser.choose(folder, root);
    ServerBinaries programs = binaries(root);
    Optional<ConnectionFile> known = ConnectionFile.read(folder.connectionFile());
    ConnectionFile connection = connection(known);
    FileTrees.deleteLeftovers(folder.path(), ServerFolder.UNFINISHED);
    if (!DataDirectory.exists(folder)) {
      DataDirectory.checkThatNothingIsLost(folder);
      connection.write(folder.connectionFile());
      DataDirectory.create(folder, programs, runAs, connection);
    } else if (known.isEmpty()) {
      throw noPassword();
    }
    launched = true;
    return LaunchAttempt.of(folder, programs, runAs, options.settings(), connection);
  }

  private EmbeddedPostgresException noPassword() {
    return new EmbeddedPostgresException(
        folder.connectionFile()
            + " is missing, and with it the password; restore it from a backup");
  }

  private ConnectionFile connection(Optional<ConnectionFile> known) {
    if (options.port() != 0 && !Ports.isFree(options.port())) {
      throw new EmbeddedPostgresException(
          "port "
              + options.port()
              + " on 127.0.0.1 is taken by another process, or not allowed to this one; name another"
              + " port, or leave it out for a free one");
    }
    int port =
        options.port() != 0
            ? options.port()
            : known.map(ConnectionFile::port).filter(Ports::isFree).orElseGet(Ports::anyFree);
    return known
        .map(connection -> connection.withPort(port))
        .orElseGet(() -> ConnectionFile.withNewPassword(port));
  }

  private ServerBinaries binaries(boolean root) throws IOException {
    List<Path> places =
        options.caches().isEmpty()
            ? BinariesCache.usualPlaces(root, System.getenv(), folder.binaries())
            : options.caches();
    return new BinariesCache(places).binaries(BinariesSource.find(options.major()));
  }
}
