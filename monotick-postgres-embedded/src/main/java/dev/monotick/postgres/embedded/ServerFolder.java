package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder of one server and what is where in it.
 *
 * @param path its real path, so that one folder has one name only
 */
record ServerFolder(Path path) {

  static final String UNFINISHED = "initialising-";

  static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Returns the folder, created if it was absent; refuses one that holds other things. */
  static ServerFolder prepare(Path wanted) {
    try {
      if (Files.exists(wanted) && !Files.isDirectory(wanted)) {
        throw refused(wanted, "is a file", "name a folder that is empty or absent");
      }
      Files.createDirectories(wanted.toAbsolutePath());
      ServerFolder folder = new ServerFolder(wanted.toRealPath());
      if (!isQuotable(folder.path())) {
        throw refused(
            wanted,
            "has a character in its path that PostgreSQL's programs cannot deal with",
            "name a folder without any of \" $ ` \\ and line breaks");
      }
      if (!Files.isWritable(folder.path())) {
        throw notWritable(wanted, "");
      }
      if (!Files.exists(folder.lock())) {
        folder.takePossession();
      }
      return folder;
    } catch (AccessDeniedException e) {
      throw notWritable(wanted, " (" + e.getMessage() + ")");
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "the folder " + wanted + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** The lock is the first file there, so whoever finds another file without it is a guest. */
  private void takePossession() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      if (files.anyMatch(file -> !file.equals(lock()) && !isUnfinished(file))) {
        throw refused(
            path,
            "holds other files and no embedded server",
            "name a folder that is empty or absent");
      }
    }
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
  }

  /** The program of a killed process may go on in a folder that has been deleted meanwhile. */
  private static boolean isUnfinished(Path file) {
    return file.getFileName().toString().startsWith(UNFINISHED);
  }

  /** Says whether pg_ctl, which puts paths into quotes and no more, can hand a path to a shell. */
  static boolean isQuotable(Path path) {
    return path.toString().chars().noneMatch(c -> c < ' ' || "\"$`\\".indexOf(c) >= 0);
  }

  private static IllegalArgumentException notWritable(Path folder, String detail) {
    return refused(
        folder,
        "cannot be written to by this user" + detail,
        "name another folder, or run as the user it belongs to");
  }

  private static IllegalArgumentException refused(Path folder, String fact, String remedy) {
    return new IllegalArgumentException("folder " + folder + " " + fact + "; " + remedy);
  }

  Path lock() {
    return path.resolve("lock");
  }

  Path data() {
    return path.resolve("data");
  }

  Path connectionFile() {
    return path.resolve("connection.conf");
  }

  Path log() {
    return path.resolve("server.log");
  }

  /** Where binaries are unpacked if there is no place that servers can share. */
  Path binaries() {
    return path.resolve("binaries");
  }
}
