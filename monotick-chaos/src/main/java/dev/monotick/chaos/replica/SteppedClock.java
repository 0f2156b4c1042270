package dev.monotick.chaos.replica;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The wall clock plus an offset that a file holds: eight bytes, nanoseconds. For machines where the
 * clock of a process can not be moved from outside.
 */
final class SteppedClock implements InstantSource {

  /** The variable that names the file. */
  static final String FILE = "CHAOS_CLOCK_FILE";

  private final InstantSource clock = Clock.systemUTC();
  private final ByteBuffer offset;

  SteppedClock(Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      this.offset =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, Long.BYTES).order(ByteOrder.nativeOrder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Instant instant() {
    return clock.instant().plusNanos(offset.getLong(0));
  }
}
