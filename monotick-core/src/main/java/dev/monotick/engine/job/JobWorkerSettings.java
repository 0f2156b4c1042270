package dev.monotick.engine.job;

import java.util.Set;

/**
 * What was configured.
 *
 * @param concurrency how many handlers may run at a time
 * @param queues the queues to work on; empty for all
 */
public record JobWorkerSettings(int concurrency, Set<String> queues) {

  /** The most handlers at a time. */
  public static final int MOST = 10_000;

  /** Twenty handlers, all queues. */
  public static final JobWorkerSettings DEFAULTS = new JobWorkerSettings(20, Set.of());

  /** Refuses what cannot be. */
  public JobWorkerSettings {
    if (concurrency < 1 || concurrency > MOST) {
      throw new IllegalArgumentException(
          "concurrency must be between 1 and " + MOST + ", but was " + concurrency);
    }
    queues = Set.copyOf(queues);
  }
}
