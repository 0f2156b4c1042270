package dev.monotick.postgres.embedded;

import dev.monotick.postgres.embedded.binaries.FileTrees;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How to reach the server of a folder, as kept in the folder. The file has the form of a libpq
 * service file, so that psql and its kin can read it as well.
 *
 * @param port the port that was used last
 * @param user the superuser
 * @param password that user's password, the same for as long as the folder exists
 */
record ConnectionFile(int port, String user, String password) {

  private static final int PASSWORD_BYTES = 24;

  static ConnectionFile withNewPassword(int port) {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return new ConnectionFile(port, "postgres", HexFormat.of().formatHex(random));
  }

  ConnectionFile withPort(int newPort) {
    return new ConnectionFile(newPort, user, password);
  }

  static Optional<ConnectionFile> read(Path file) throws IOException {
    Map<String, String> values = new HashMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.split("=", 2);
        if (parts.length == 2) {
          values.put(parts[0].strip(), parts[1].strip());
        }
      }
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    String port = values.getOrDefault("port", "");
    String user = values.getOrDefault("user", "");
    String password = values.getOrDefault("password", "");
    if (!port.matches("\\d{1,5}") || user.isEmpty() || password.isEmpty()) {
      throw new EmbeddedPostgresException(
          file + " was changed and lacks port, user or password; restore it from a backup");
    }
    return Optional.of(new ConnectionFile(Integer.parseInt(port), user, password));
  }

  /** Replaces the file as a whole and for good: after a crash it is the old one or the new one. */
  void write(Path file) throws IOException {
    String text =
        """
        [monotick]
        host=127.0.0.1
        port=%d
        dbname=postgres
        user=%s
        password=%s
        """
            .formatted(port, user, password);
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(unfinished);
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            ServerFolder.OWNER_ONLY)) {
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      channel.force(true);
    }
    // If root has started the server of somebody else, that one must be able to read it too.
    Path folder = file.resolveSibling(".").normalize();
    for (String attribute : List.of("unix:uid", "unix:gid")) {
      Object owner = Files.getAttribute(folder, attribute);
      if (!owner.equals(Files.getAttribute(unfinished, attribute))) {
        Files.setAttribute(unfinished, attribute, owner);
      }
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    FileTrees.sync(folder);
  }
}
