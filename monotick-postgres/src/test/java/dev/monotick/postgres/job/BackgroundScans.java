package dev.monotick.postgres.job;

import dev.monotick.spi.job.JobStore;
import java.util.concurrent.ExecutionException;

/**
 * Waits for the thread that looks for jobs which claims passed over. It locks jobs for a moment,
 * and a claim skips what is locked: right, but not the same each time.
 */
public final class BackgroundScans {

  private BackgroundScans() {}

  /** Returns when the store does nothing in the background. */
  public static void await(JobStore store) {
    try {
      ((PostgresJobStore) store).scans().awaitDone();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("the scans do not end", e);
    }
  }
}
