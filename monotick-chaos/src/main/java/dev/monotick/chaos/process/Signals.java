package dev.monotick.chaos.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends signals. */
public final class Signals {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();

  private Signals() {}

  /**
   * Stops a process, and returns when all of its threads stand still. They do so when one of them
   * has taken the signal and the others have had their turn; on a busy machine they may still do
   * something by then.
   */
  public static void stop(long pid) {
    send("STOP", pid);
    Path threads = Path.of("/proc", Long.toString(pid), "task");
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (Files.isDirectory(threads) && !standStill(threads)) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(pid + " goes on " + PATIENCE + " after it was stopped");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static boolean standStill(Path threads) {
    try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
      for (Path thread : each) {
        String line = Files.readString(thread.resolve("stat"));
        char state = line.charAt(line.lastIndexOf(')') + 2); // the name before may be anything
        if ("TtZX".indexOf(state) < 0) {
          return false;
        }
      }
      return true;
    } catch (IOException | DirectoryIteratorException e) {
      return false; // a thread ended meanwhile
    }
  }

  /** Sends a signal, named as {@code kill} names it, to a process of this machine. */
  public static void send(String signal, long pid) {
    try {
      // The shell's own kill is there wherever a shell is.
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
              .redirectErrorStream(true)
              .start();
      if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("signal " + signal + " was not sent to " + pid);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while sending a signal", e);
    }
  }
}
