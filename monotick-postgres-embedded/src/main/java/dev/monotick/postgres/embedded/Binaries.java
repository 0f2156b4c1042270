package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An unpacked server.
 *
 * @param folder the folder with {@code bin}, {@code lib} and {@code share}
 */
record Binaries(Path folder) {

  private static final Logger LOG = LoggerFactory.getLogger(Binaries.class);

  String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }

  /** Unpacks a server below a folder, unless that has been done before. */
  static Binaries unpacked(BinariesSource source, Path cache) throws IOException {
    Path target = cache.resolve(source.version() + "-" + checksum(source));
    if (!Files.exists(target)) {
      LOG.info("unpacking PostgreSQL version={} folder={}", source.version(), target);
      Files.createDirectories(cache);
      Path unfinished = Files.createTempDirectory(cache, ".unpacking-");
      Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
      try (InputStream archive = source.url().openStream()) {
        Archive.unpack(archive, unfinished);
      }
      try {
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        if (!Files.exists(target)) { // otherwise somebody else was faster, with the same outcome
          throw e;
        }
      }
    }
    return new Binaries(target);
  }

  private static String checksum(BinariesSource source) throws IOException {
    try (DigestInputStream archive =
        new DigestInputStream(source.url().openStream(), MessageDigest.getInstance("SHA-256"))) {
      archive.transferTo(java.io.OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(archive.getMessageDigest().digest()).substring(0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK knows SHA-256", e);
    }
  }
}
