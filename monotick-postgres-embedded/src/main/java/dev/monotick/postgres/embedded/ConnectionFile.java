package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Properties;

/**
 * How to reach the server of a folder, as kept in the folder. The file has the form of a libpq
 * service file, so that psql reads it as well.
 */
record ConnectionFile(int port, String user, String password) {

  private static final int PASSWORD_BYTES = 24;

  static ConnectionFile create(int port) {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return new ConnectionFile(port, "postgres", HexFormat.of().formatHex(random));
  }

  ConnectionFile withPort(int newPort) {
    return new ConnectionFile(newPort, user, password);
  }

  static Optional<ConnectionFile> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    properties.load(new StringReader(Files.readString(file)));
    return Optional.of(
        new ConnectionFile(
            Integer.parseInt(properties.getProperty("port")),
            properties.getProperty("user"),
            properties.getProperty("password")));
  }

  /** Replaces the file as a whole: a reader sees the old one or the new one. */
  void write(Path file) throws IOException {
    String text =
        "[monotick]\nhost=127.0.0.1\nport="
            + port
            + "\ndbname=postgres\nuser="
            + user
            + "\npassword="
            + password
            + "\n";
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(unfinished);
    Files.createFile(
        unfinished,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(unfinished, text, StandardOpenOption.SYNC);
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
