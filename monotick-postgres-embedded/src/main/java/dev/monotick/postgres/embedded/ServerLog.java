package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** The file that the server writes its log to. */
final class ServerLog {

  private static final long MAX_BYTES = 10_000_000;
  private static final int TAIL_BYTES = 16_384;
  private static final int TAIL_LINES = 15;

  private final Path file;

  ServerLog(Path file) {
    this.file = file;
  }

  /** Sees to it that there is a file the server can write to, and that it is not too large. */
  void prepare(ServerUser user) throws IOException {
    if (Files.exists(file) && Files.size(file) > MAX_BYTES) {
      Path old = file.resolveSibling(file.getFileName() + ".old");
      Files.move(file, old, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
    if (!Files.exists(file)) {
      Files.createFile(file, ServerFolder.OWNER_ONLY);
      user.own(file);
    }
  }

  /** Returns the place that the next line will be written at. */
  long end() throws IOException {
    return Files.size(file);
  }

  /** Returns the last lines that were written after a place. */
  String tail(long after) throws IOException {
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(after, log.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (log.length() - from)];
      log.seek(from);
      log.readFully(bytes);
      List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }
  }
}
