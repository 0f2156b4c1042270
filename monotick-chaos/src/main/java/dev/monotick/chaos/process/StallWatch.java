package dev.monotick.chaos.process;

import dev.monotick.chaos.history.HistoryWriter;
import java.time.Duration;

/**
 * Tells when this process stood still without a signal: for want of a processor, or for a garbage
 * collection. Its thread wakes every few milliseconds and tells of it when that took much longer.
 */
public final class StallWatch implements Runnable {

  /** The kind of event that tells of a stall; it ended then. */
  public static final String KIND = "stalled";

  private static final Duration EVERY = Duration.ofMillis(20);
  private static final long STALL_NANOS = Duration.ofMillis(250).toNanos();

  private final HistoryWriter teller;

  private StallWatch(HistoryWriter teller) {
    this.teller = teller;
  }

  /** Starts to watch this process. */
  public static void start(HistoryWriter teller) {
    Thread thread = new Thread(new StallWatch(teller), "stall-watch");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    long before = System.nanoTime();
    while (true) {
      Waiting.let(EVERY);
      long now = System.nanoTime();
      if (now - before > STALL_NANOS) {
        teller.write(KIND, "since", before);
      }
      before = System.nanoTime();
    }
  }
}
