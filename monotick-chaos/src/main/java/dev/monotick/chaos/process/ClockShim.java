package dev.monotick.chaos.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Moves the wall clocks of processes while they run: by a library loaded before all others, that
 * adds an offset to what the kernel says. What a process asks for the date, it asks through this,
 * whether it is a JVM or PostgreSQL. Where there is no C compiler to build it, replicas are asked
 * to add the offset themselves.
 */
public final class ClockShim {

  private final @Nullable Path library;
  private final Path folder;

  private ClockShim(@Nullable Path library, Path folder) {
    this.library = library;
    this.folder = folder;
  }

  /** Builds the library in a folder, if this machine has a C compiler. */
  public static ClockShim build(Path folder) {
    Path source = folder.resolve("clockshim.c");
    Path library = folder.resolve("clockshim.so");
    try (InputStream text = ClockShim.class.getResourceAsStream("clockshim.c")) {
      if (text == null) {
        throw new IllegalStateException("clockshim.c is not on the class path");
      }
      Files.copy(text, source, StandardCopyOption.REPLACE_EXISTING);
      boolean built =
          run(folder, "cc", "-O1", "-shared", "-fPIC", "-o", library.toString(), source.toString());
      return new ClockShim(built ? library : null, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the variables for a process whose clock is set under that name. */
  public Map<String, String> environment(String name) {
    if (!Files.exists(file(name))) {
      set(name, Duration.ZERO);
    }
    return library == null
        ? Map.of("CHAOS_CLOCK_FILE", file(name).toString())
        : Map.of("LD_PRELOAD", library.toString(), "CLOCKSHIM_FILE", file(name).toString());
  }

  /** Says whether the clock of any process can be moved, not only that of a replica. */
  public boolean movesAnyProcess() {
    return library != null;
  }

  /** Sets the clock of the processes of that name so far ahead of the true time, or behind. */
  public void set(String name, Duration offset) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.putLong(0, offset.toNanos());
    try (FileChannel channel =
        FileChannel.open(file(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(bytes, 0); // one aligned word: nobody sees half of it
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(String name) {
    return folder.resolve("clock-" + name);
  }

  private static boolean run(Path folder, String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("cc.log").toFile())
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
