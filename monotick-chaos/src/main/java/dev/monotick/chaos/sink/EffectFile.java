package dev.monotick.chaos.sink;

import dev.monotick.chaos.history.HistoryEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The effects on disk, one line each, in the order in which they were judged. */
public final class EffectFile implements AutoCloseable {

  private final FileChannel channel;

  /** Opens a file to append to. */
  EffectFile(Path path) throws IOException {
    this.channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Returns what a file holds. */
  public static List<HistoryEvent> read(Path path) {
    try {
      return Files.readAllLines(path).stream().map(HistoryEvent::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a line; it is on disk when this returns. */
  void append(HistoryEvent event) throws IOException {
    ByteBuffer line = ByteBuffer.wrap((event.line() + "\n").getBytes(StandardCharsets.UTF_8));
    while (line.hasRemaining()) {
      channel.write(line);
    }
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
