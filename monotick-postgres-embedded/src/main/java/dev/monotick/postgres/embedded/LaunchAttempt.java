package dev.monotick.postgres.embedded;

import dev.monotick.postgres.embedded.binaries.ServerBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to start a server on data that are there.
 *
 * @param outcome how it went
 * @param message why it failed, with the end of the server's log
 */
record LaunchAttempt(Outcome outcome, String message) {

  private static final Logger LOG = LoggerFactory.getLogger(LaunchAttempt.class);

  /** Recovery after a crash may take long; it must not be given up while it is going on. */
  private static final int SECONDS_TO_START = 86_400;

  /** How an attempt ended. */
  enum Outcome {
    STARTED,
    /** Somebody has taken the port since it was found free. */
    PORT_TAKEN,
    /** Another server, or what is left of one, has the data: look again who it is. */
    DATA_TAKEN,
    FAILED
  }

  static LaunchAttempt of(
      ServerFolder folder,
      ServerBinaries binaries,
      ServerUser user,
      ServerParameters settings,
      ConnectionFile connection)
      throws IOException {
    clearAfterCrash(folder);
    if (!ConnectionFile.read(folder.connectionFile()).equals(Optional.of(connection))) {
      connection.write(folder.connectionFile());
    }
    ServerLog log = new ServerLog(folder.log());
    log.prepare(user);
    long before = log.end();
    String name = Orphans.clusterName(folder.data().toString());
    // The server gets a session of its own, so that Ctrl-C in a terminal does not reach it: it is
    // still needed while this process ends.
    Commands.Result result =
        Commands.run(
            user.command(
                binaries.program("pg_ctl"),
                "start",
                "--pgdata=" + folder.data(),
                "--log=" + folder.log(),
                "--options=" + settings.options(connection.port(), name),
                "--wait",
                "--timeout=" + SECONDS_TO_START,
                "--silent"));
    if (result.isOk()) {
      return new LaunchAttempt(Outcome.STARTED, "");
    }
    String tail = log.tail(before);
    return new LaunchAttempt(outcome(tail), (result.output() + "\n" + tail).strip());
  }

  private static Outcome outcome(String log) {
    if (log.contains("Address already in use")) {
      return Outcome.PORT_TAKEN;
    }
    if (log.contains("lock file \"postmaster.pid\" already exists")
        || log.contains("pre-existing shared memory block")) {
      return Outcome.DATA_TAKEN;
    }
    return Outcome.FAILED;
  }

  /**
   * Removes what a killed server leaves. PostgreSQL deals with most of it, but not with processes
   * that live on, nor with a process of the same user that has got the dead server's number since.
   */
  private static void clearAfterCrash(ServerFolder folder) throws IOException {
    Optional<Postmaster> dead = Postmaster.read(folder);
    if (dead.isPresent()) {
      LOG.info("PostgreSQL was killed and will recover folder={}", folder.path());
      Orphans.kill(dead.get());
      // If there is no such process, PostgreSQL finds out and has further checks to make.
      boolean numberIsTaken = ProcessHandle.of(dead.get().pid()).isPresent();
      if (numberIsTaken && !dead.get().isAlive()) {
        Files.deleteIfExists(Postmaster.file(folder));
      }
    }
  }
}
