package dev.monotick.postgres.embedded.binaries;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** Unpacks the archive of a server, which carries check sums of its own. */
public final class Archive {

  private static final int OWNER_EXECUTES = 0100;

  private Archive() {}

  public static void unpack(InputStream archive, Path target) throws IOException {
    try (TarArchiveInputStream entries =
        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive)))) {
      for (TarArchiveEntry entry; (entry = entries.getNextEntry()) != null; ) {
        Path path = inside(target, entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(path);
        } else {
          Files.createDirectories(path.resolveSibling("."));
          if (entry.isSymbolicLink()) {
            inside(target, target.relativize(path.resolveSibling(entry.getLinkName())).toString());
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
          } else if (entry.isFile()) {
            Files.copy(entries, path);
            boolean executable = (entry.getMode() & OWNER_EXECUTES) != 0;
            Files.setPosixFilePermissions(
                path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
          } else {
            throw new IOException("unexpected kind of entry in the archive: " + entry.getName());
          }
        }
      }
    }
  }

  private static Path inside(Path target, String name) throws IOException {
    Path path = target.resolve(name).normalize();
    if (!path.startsWith(target)) {
      throw new IOException("the archive names a file outside of its folder: " + name);
    }
    return path;
  }
}
