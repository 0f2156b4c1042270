package dev.monotick.postgres.embedded;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops a server, with or without its consent. */
final class ServerStop {

  private static final Logger LOG = LoggerFactory.getLogger(ServerStop.class);

  /** Enough to write what is in memory to a slow disk. */
  private static final int SECONDS_TO_STOP = 60;

  private static final int SECONDS_TO_ABORT = 10;

  private ServerStop() {}

  /** Stops a server in good order, or, if it takes too long, at once; returns when it has ended. */
  static void stop(Postmaster postmaster, ServerFolder folder) throws IOException {
    if (postmaster.stop(SECONDS_TO_STOP)) {
      LOG.info("stopped PostgreSQL pid={} folder={}", postmaster.pid(), folder.path());
    } else if (postmaster.abort(SECONDS_TO_ABORT)) {
      LOG.warn(
          "PostgreSQL did not stop within {} s and was aborted; it loses nothing, but will recover"
              + " at its next start; pid={} folder={}",
          SECONDS_TO_STOP,
          postmaster.pid(),
          folder.path());
    } else {
      throw new EmbeddedPostgresException(
          "PostgreSQL does not stop, pid="
              + postmaster.pid()
              + " folder="
              + folder.path()
              + "; see its log "
              + folder.log());
    }
  }
}
