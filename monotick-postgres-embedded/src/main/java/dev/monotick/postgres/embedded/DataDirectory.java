package dev.monotick.postgres.embedded;

import dev.monotick.postgres.embedded.binaries.FileTrees;
import dev.monotick.postgres.embedded.binaries.ServerBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates a server's data, and checks whose they are. */
final class DataDirectory {

  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  /** Replication is for backups of the running server. */
  private static final String HOST_ACCESS =
      """
      # TYPE  DATABASE     USER  ADDRESS       METHOD
      host    all          all   127.0.0.1/32  scram-sha-256
      host    replication  all   127.0.0.1/32  scram-sha-256
      """;

  private DataDirectory() {}

  static boolean exists(ServerFolder folder) {
    return Files.exists(folder.data());
  }

  /** Refuses data of another major version, which this server could not read. */
  static void checkMajor(ServerFolder folder, int wanted) throws IOException {
    Path file = folder.data().resolve("PG_VERSION");
    if (!Files.exists(file)) {
      throw new EmbeddedPostgresException(
          folder.data()
              + " has no PG_VERSION, so it holds no data of PostgreSQL; restore it from a backup,"
              + " or name another folder");
    }
    String found = Files.readString(file).strip();
    if (!found.equals(Integer.toString(wanted))) {
      throw new IllegalArgumentException(
          "folder %s holds data of PostgreSQL %s, but major is %d; use major(%s), or move the data to another folder with pg_dump and psql"
              .formatted(folder.path(), found, wanted, found));
    }
  }

  /** Refuses to put an empty database where one has been: a log is there once it was started. */
  static void checkThatNothingIsLost(ServerFolder folder) {
    if (Files.exists(folder.log())) {
      throw new EmbeddedPostgresException(
          folder.data()
              + " is missing, but has been there, as "
              + folder.log()
              + " shows; restore it from a backup, or delete the folder as a whole to begin anew");
    }
  }

  /**
   * Creates the data beside their place and moves them there as a whole, so that a process that is
   * killed half-way leaves nothing that looks like data. The name is new each time: the program of
   * a killed process may still be at work in the old one.
   */
  static void create(
      ServerFolder folder, ServerBinaries binaries, ServerUser user, ConnectionFile connection)
      throws IOException {
    LOG.info("initialising PostgreSQL folder={}", folder.path());
    user.mayPass(folder.path());
    Path unfinished = Files.createTempDirectory(folder.path(), ServerFolder.UNFINISHED);
    try {
      user.own(unfinished);
      Path data = unfinished.resolve("data");
      Path password = unfinished.resolve("password");
      Files.createFile(password, ServerFolder.OWNER_ONLY);
      user.own(password);
      Files.writeString(password, ScramVerifier.of(connection.password()));
      Commands.Result result =
          Commands.run(
              user.command(
                  binaries.program("initdb"),
                  "--pgdata=" + data,
                  "--username=" + connection.user(),
                  "--pwfile=" + password,
                  "--auth=scram-sha-256",
                  "--encoding=UTF8",
                  "--locale=C",
                  "--data-checksums"));
      if (!result.isOk()) {
        throw new EmbeddedPostgresException(
            "could not initialise PostgreSQL in " + folder.path() + ":\n" + result.lastLines());
      }
      Files.writeString(
          data.resolve("pg_hba.conf"), // for good, as initdb has written all the rest
          HOST_ACCESS,
          StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.WRITE,
          StandardOpenOption.SYNC);
      Files.move(data, folder.data(), StandardCopyOption.ATOMIC_MOVE);
      FileTrees.sync(folder.path());
    } finally {
      FileTrees.deleteLeftovers(folder.path(), ServerFolder.UNFINISHED);
    }
  }
}
