package dev.monotick.chaos.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Sends signals. */
public final class Signals {

  private Signals() {}

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
